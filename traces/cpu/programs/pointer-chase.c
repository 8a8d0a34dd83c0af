/* Pointer chasing, the class of mcf: a network of arcs is priced along the tree of
 * its nodes, from each node through its parents to the root. */
#include "kernel.h"

enum { NODES = 1 << 16, ARCS = 9000 };

struct node {
	struct node *parent;
	int64_t potential;
	int64_t depth;
	int64_t flow;
	int64_t spare[4];
};

struct arc {
	struct node *tail, *head;
	int64_t cost, reduced;
};

static struct node *nodes;
static struct arc *arcs;

KERNEL int64_t kernel(void) {
	int64_t negative = 0;
	for (int i = 0; i < ARCS; i++) {
		struct arc *a = &arcs[i];
		a->reduced = a->cost - a->tail->potential + a->head->potential;
		if (a->reduced >= 0)
			continue;
		negative++;
		/* the join of the paths to the root */
		struct node *u = a->tail, *v = a->head;
		while (u != v) {
			if (u->depth >= v->depth) {
				u->flow++;
				u = u->parent;
			} else {
				v->flow--;
				v = v->parent;
			}
		}
	}
	return negative;
}

int main(void) {
	nodes = calloc(NODES, sizeof *nodes);
	arcs = calloc(ARCS, sizeof *arcs);
	/* the tree is laid out in a random order */
	int *order = malloc(NODES * sizeof *order);
	for (int i = 0; i < NODES; i++)
		order[i] = i;
	for (int i = NODES - 1; i > 0; i--) {
		int k = (int)(next() % (uint64_t)(i + 1)), o = order[i];
		order[i] = order[k];
		order[k] = o;
	}
	for (int i = 0; i < NODES; i++) {
		struct node *n = &nodes[order[i]];
		n->parent = i ? &nodes[order[(i - 1) / 4]] : n;
		n->depth = i ? n->parent->depth + 1 : 0;
		n->potential = (int64_t)(next() % 1000);
	}
	for (int i = 0; i < ARCS; i++) {
		arcs[i].tail = &nodes[next() % NODES];
		arcs[i].head = &nodes[next() % NODES];
		arcs[i].cost = (int64_t)(next() % 1000);
	}
	printf("%ld\n", (long)kernel());
	return 0;
}
