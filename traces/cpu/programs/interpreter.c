/* An interpreter loop, the class of perlbench: a byte code that counts words in a
 * hash table, dispatched by a switch. */
#include "kernel.h"

enum { LOAD, HASH, FIND, COUNT, NEXT, JUMP, ADD, SKIP, STOP, TEXT = 16000, BUCKETS = 4096 };

struct entry {
	struct entry *next;
	uint32_t hash, count;
	char word[16];
};

static char text[TEXT + 32];
static struct entry *table[BUCKETS];
static const unsigned char code[] = {LOAD, SKIP, HASH, ADD, NEXT, JUMP, 0, FIND, COUNT, JUMP, 0, STOP};

KERNEL uint64_t kernel(void) {
	uint64_t found = 0;
	uint32_t hash = 0, top = 0;
	uint32_t stack[16] = {0};
	int at = 0, from = 0, pc = 0;
	char c = 0;
	struct entry *e = 0;
	for (;;) {
		switch (code[pc++]) {
		case LOAD:
			if (at >= TEXT)
				return found + stack[0];
			c = text[at];
			break;
		case SKIP:
			if (c == ' ')
				pc = 7;
			break;
		case HASH:
			hash = hash * 31 + (uint32_t)c;
			break;
		case ADD:
			stack[top & 15] += hash & 1;
			top += stack[top & 15] & 1;
			break;
		case NEXT:
			at++;
			break;
		case JUMP:
			pc = code[pc];
			break;
		case FIND:
			for (e = table[hash % BUCKETS]; e && e->hash != hash; e = e->next)
				;
			break;
		case COUNT:
			if (!e) {
				e = calloc(1, sizeof *e);
				e->hash = hash;
				e->next = table[hash % BUCKETS];
				table[hash % BUCKETS] = e;
				for (int i = 0; i < 15 && from + i < at; i++)
					e->word[i] = text[from + i];
			}
			found += ++e->count > 1;
			at++;
			from = at;
			hash = 0;
			break;
		default:
			return found;
		}
	}
}

int main(void) {
	for (int i = 0; i < TEXT; i++)
		text[i] = next() % 6 ? (char)('a' + next() % 5) : ' ';
	printf("%lu\n", (unsigned long)kernel());
	return 0;
}
