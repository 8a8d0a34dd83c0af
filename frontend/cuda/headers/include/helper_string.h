// SPDX-License-Identifier: Apache-2.0
// Options of the command line as the samples' helpers read them: -name or --name=value.
#ifndef COMMON_HELPER_STRING_H_
#define COMMON_HELPER_STRING_H_
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
// The value of an option: behind its =, empty without one, and null when it is not given.
static inline char *__wt_option(int argc, const char **argv, const char *name) {
  size_t n = strlen(name);
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    while (*a == '-') a++;
    if (a != argv[i] && !strncmp(a, name, n) && (a[n] == 0 || a[n] == '=')) return (char *)a + n + (a[n] == '=');
  }
  return 0;
}
static inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) { return __wt_option(argc, argv, name) != 0; }
static inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
  const char *v = __wt_option(argc, argv, name);
  return v ? atoi(v) : 0;
}
static inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
  const char *v = __wt_option(argc, argv, name);
  return v ? (float)atof(v) : 0.0f;
}
static inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value) {
  *value = __wt_option(argc, argv, name);
  return *value != 0;
}
// A data file beside the program or in its folder data.
static inline char *sdkFindFilePath(const char *name, const char *) {
  static const char *const folders[] = {"", "./data/", "../data/", "../../data/"};
  for (int i = 0; i < 4; i++) {
    char *path = (char *)malloc(strlen(folders[i]) + strlen(name) + 1);
    strcat(strcpy(path, folders[i]), name);
    if (FILE *f = fopen(path, "rb")) {
      fclose(f);
      return path;
    }
    free(path);
  }
  return 0;
}
#endif
