// SPDX-License-Identifier: Apache-2.0
// Graphs: operations that a stream captured, in their order.
#pragma once
#include "warptape.h"
int capture_launch(struct graph *g, struct function *f, const struct launch *s, const unsigned char *arguments);
int capture_copy(struct graph *g, const struct copy *c);
int capture_fill(struct graph *g, uint64_t address, uint64_t value, unsigned element, uint64_t width, uint64_t height, uint64_t pitch);
int capture_host(struct graph *g, void (*function)(void *), void *data);
void join_capture(struct graph *g, struct CUstream_st *s);
// A capture is told from others by a number as long as it is under way; 0 is none.
uint64_t capture_number(const struct graph *g);
struct graph *capture_of(uint64_t number);
// break_capture makes a capture one that ends in an error; captured tells that of a stream.
void break_capture(struct graph *g);
int captured(const struct CUstream_st *s, struct graph **g);
// leave_capture lets a stream that is destroyed go.
void leave_capture(struct CUstream_st *s);

struct node;
struct graph *new_graph(void);
struct graph *copy_graph(const struct graph *g);
void drop_graph(struct graph *g);
size_t node_count(const struct graph *g);
struct node *node_at(const struct graph *g, size_t index);
size_t index_of(const struct node *n);
bool nodes_alike(const struct node *a, const struct node *b);
int add_empty(struct graph *g);
void take_node(struct node *to, struct graph *from);
