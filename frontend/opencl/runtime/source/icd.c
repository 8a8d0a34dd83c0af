// SPDX-License-Identifier: Apache-2.0
// The library's side of an ICD loader, and functions that it lacks.
#include "objects.h"

typedef intptr_t word;

// Functions that are not there name themselves once and give an error.
#define ABSENT(name) \
  EXPORT cl_int name(void) { MISSING(reason); return CL_INVALID_OPERATION; }
#define NOTHING(name) \
  EXPORT void *name(void) { MISSING(reason); return NULL; }
#define OBJECT(name, n) OBJECT_##n(name)
#define OBJECT_2(name) \
  EXPORT void *name(word a, cl_int *error) { (void)a; MISSING(reason); FAIL(CL_INVALID_OPERATION); }
#define OBJECT_3(name) \
  EXPORT void *name(word a, word b, cl_int *error) { (void)a; (void)b; MISSING(reason); FAIL(CL_INVALID_OPERATION); }
#define OBJECT_4(name) \
  EXPORT void *name(word a, word b, word c, cl_int *error) { (void)a; (void)b; (void)c; MISSING(reason); FAIL(CL_INVALID_OPERATION); }
#define OBJECT_6(name) \
  EXPORT void *name(word a, word b, word c, word d, word e, cl_int *error) { (void)a; (void)b; (void)c; (void)d; (void)e; MISSING(reason); FAIL(CL_INVALID_OPERATION); }
#define PRESENT(name) void name(void);
#define FOREIGN(name)

static const char reason[] = "the device has OpenCL 1.2, without OpenGL";

// The functions that are there are declared here for their addresses alone.
#include "functions.inc"

#undef ABSENT
#undef NOTHING
#undef OBJECT
#undef PRESENT
#undef FOREIGN
#define ABSENT(name) (void *)name,
#define NOTHING(name) (void *)name,
#define OBJECT(name, n) (void *)name,
#define PRESENT(name) (void *)name,
#define FOREIGN(name) NULL,
void *const dispatch[] = {
#include "functions.inc"
};
