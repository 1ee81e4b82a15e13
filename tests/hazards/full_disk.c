// Preloaded: writes to files of the store fail with ENOSPC while the file named by PADDOCK_TEST_DISK_FULL exists.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int full(int fd) {
  const char *flag = getenv("PADDOCK_TEST_DISK_FULL");
  if (!flag || access(flag, F_OK) != 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "/store/paddock.sqlite") != 0;
}

#define FAIL_WHEN_FULL(fd) \
  if (full(fd)) {          \
    errno = ENOSPC;        \
    return -1;             \
  }

ssize_t write(int fd, const void *bytes, size_t count) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real) real = dlsym(RTLD_NEXT, "write");
  FAIL_WHEN_FULL(fd)
  return real(fd, bytes, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
  FAIL_WHEN_FULL(fd)
  return real(fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite");
  FAIL_WHEN_FULL(fd)
  return real(fd, bytes, count, at);
}
