// hold_lock SHM: takes the lock that a writer of a SQLite database in WAL mode takes (byte 120 of the shared memory file,
// as in SQLite's file format), says so, and keeps it until standard input ends.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count != 2) return 64;
  int fd = open(words[1], O_RDWR);
  if (fd < 0) return perror("open"), 1;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 120, .l_len = 1};
  if (fcntl(fd, F_SETLKW, &lock) != 0) return perror("lock"), 1;
  puts("held");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  return 0;
}
