// Asks the debugger of .NET (ICorDebug of libmscordbi.so, x64 Linux) about each method of a module that has machine code.
//
// usage: debugger RUNTIME-FOLDER MODULE METHODS COMMAND…
//        debugger RUNTIME-FOLDER MODULE hits:METHODS COMMAND…
//        debugger RUNTIME-FOLDER MODULE bodies:METHODS COMMAND…
//        debugger RUNTIME-FOLDER MODULE steps:FILE COMMAND…
// COMMAND starts a process of its own, which writes a line when it is ready and ends when its standard input does. MODULE is the name of a file,
// METHODS the number of rows in its MethodDef table. A line for each method, separated by tabs: token; size of the machine code; the map as
// IL@native of each entry, where -1, -2 and -3 are no mapping, prolog and epilog; the IL offsets where a breakpoint is accepted. The entries of a
// map ascend by IL offset, the special ones last, -1 at the very end. With HOMES in the environment, the last column has the homes of the variables
// instead: a0 and l0 are the first argument and the first local, then range of native offsets, and register, or register and offset in the stack.
// With `hits:` the accepted breakpoints stay while the process goes on, and a line has the token and IL:stops of each.
// With `bodies:` the process says `done` after it ran on, and ends at the end of its input; a line has a body where a breakpoint stopped: token, size,
// map, IL:stops of each, and address. ADDRESSES in the environment adds the address of the code to each line of the first form.
// With `steps:` the first call of each method of FILE is stepped through, over calls, as a debugger does: by the range of the point that it stops in.
// FILE has a line for each method: token, and the IL offset of each point, with a minus before that of a hidden one. A line of the answer has the
// token and the offsets of the stops; code of a hidden point is no stop.
// AFTER is a shell command that runs before the process ends, with its number in PID.
// The order of functions in an interface is that of Microsoft's cordebug.idl.
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Object { void **functions; } Object;
typedef struct { int32_t il; uint32_t native, end; } Entry;
#define CALL(object, slot, types, ...) (((int32_t (*) types)((Object *)(object))->functions[slot])((object), ##__VA_ARGS__))

// The register of a slot that counts from the stack pointer after the prolog. For a register of 16 and up the library gives what lies behind its table.
enum { ENTRIES = 65536, UNABLE = (int32_t)0x80131345, AMBIENT = 0x1000000 };

typedef struct { Object *point; uint32_t token, il, stops; } Hits;
static Hits hits[ENTRIES];
static uint32_t hit_count;
static int counts_hits, shows_bodies;

// Bodies that breakpoints stopped in.
typedef struct { uint64_t address; uint32_t token, size, entries; Entry map[256]; uint32_t stops[256]; } Body;
static Body bodies[64];
static uint32_t body_count;

typedef struct { uint32_t token, size, points, start[1024]; uint8_t hidden[1024]; Object *point; } Plan;
static Plan plans[64];
static uint32_t plan_count;

static const char *wanted;
static Object *module;
static pid_t child;

static _Noreturn void fail(const char *what, int32_t code) {
  fprintf(stderr, "%s: 0x%08x\n", what, (unsigned)code);
  if (child > 0) kill(child, SIGKILL);
  exit(1);
}

static void check(const char *what, int32_t code) { if (code < 0) fail(what, code); }

static void release(void *object) { CALL(object, 2, (void *)); }

// Every event lets the process go on. The first argument of each is the process or an application domain.
static int32_t go_on(void *self, void *controller) {
  (void)self;
  if (controller) CALL(controller, 4, (void *, int32_t), 0);
  return 0;
}

static int32_t load_module(void *self, void *domain, Object *loaded) {
  uint16_t wide[1024] = {0};
  uint32_t count = 0;
  char name[1024] = {0};
  if (CALL(loaded, 6, (void *, uint32_t, uint32_t *, uint16_t *), 1023, &count, wide) >= 0) {
    for (uint32_t at = 0; at < count && at < 1023; at++) name[at] = (char)wide[at];
    const char *slash = strrchr(name, '/');
    if (!strcmp(slash ? slash + 1 : name, wanted)) { CALL(loaded, 1, (void *)); module = loaded; }
  }
  return go_on(self, domain);
}

// Counts a stop in the body of the innermost frame.
static void count_in_body(Object *thread, const Hits *hit) {
  static const uint8_t native_frame[16] = {0x14, 0x63, 0xe2, 0x03, 0x76, 0x4f, 0xd3, 0x11, 0x88, 0xc6, 0, 0x60, 0x97, 0x94, 0x54, 0x18};
  Object *frame, *native, *code;
  uint64_t address;
  check("GetActiveFrame", CALL(thread, 15, (void *, void **), (void **)&frame));
  check("ICorDebugNativeFrame", CALL(frame, 0, (void *, const void *, void **), native_frame, (void **)&native));
  check("GetCode", CALL(native, 4, (void *, void **), (void **)&code));
  check("GetAddress", CALL(code, 5, (void *, uint64_t *), &address));
  Body *body = bodies;
  while (body < bodies + body_count && body->address != address) body++;
  if (body == bodies + body_count) {
    if (++body_count > 64) fail("too many bodies", 0);
    body->address = address, body->token = hit->token;
    check("GetSize", CALL(code, 6, (void *, uint32_t *), &body->size));
    check("GetILToNativeMapping", CALL(code, 10, (void *, uint32_t, uint32_t *, Entry *), 256, &body->entries, body->map));
  }
  if (hit->il < 256) body->stops[hit->il]++;
  release(code), release(native), release(frame);
}

// Steps over the point that the thread is in, if its method has a plan; else the walk through a method ends.
static void step(Object *thread) {
  static const uint8_t il_frame[16] = {0x11, 0x63, 0xe2, 0x03, 0x76, 0x4f, 0xd3, 0x11, 0x88, 0xc6, 0x00, 0x60, 0x97, 0x94, 0x54, 0x18};
  Object *frame = NULL, *il = NULL, *stepper;
  uint32_t token = 0, offset = 0, at = 0, index = 0;
  int32_t mapping;
  check("GetActiveFrame", CALL(thread, 15, (void *, void **), (void **)&frame));
  if (!frame) { printf("\n"); return; }
  check("GetFunctionToken", CALL(frame, 6, (void *, uint32_t *), &token));
  if (CALL(frame, 0, (void *, const void *, void **), il_frame, (void **)&il) >= 0) check("GetIP", CALL(il, 11, (void *, uint32_t *, int32_t *), &offset, &mapping));
  while (at < plan_count && plans[at].token != token) at++;
  if (at == plan_count || !il) { printf("\n"); release(frame); return; }
  Plan *plan = &plans[at];
  while (index + 1 < plan->points && plan->start[index + 1] <= offset) index++;
  if (!plan->hidden[index]) printf(" %x", offset);
  uint32_t range[2] = {plan->start[index], index + 1 < plan->points ? plan->start[index + 1] : plan->size};
  check("CreateStepper", CALL(thread, 12, (void *, void **), (void **)&stepper));
  check("SetUnmappedStopMask", CALL(stepper, 6, (void *, int32_t), 0));
  check("StepRange", CALL(stepper, 8, (void *, int32_t, void *, uint32_t), 0, range, 1));
  release(il), release(frame);
}

static int32_t step_complete(void *self, void *domain, Object *thread, void *stepper, int32_t reason) {
  (void)stepper, (void)reason;
  step(thread);
  return go_on(self, domain);
}

// Reads the plan, and sets a breakpoint at the start of each method of it.
static void read_plans(const char *path) {
  static char line[65536];
  FILE *file = fopen(path, "r");
  while (file && plan_count < 64 && fgets(line, sizeof line, file)) {
    Plan *plan = &plans[plan_count++];
    Object *function, *il;
    char *rest = line;
    plan->token = (uint32_t)strtoul(rest, &rest, 0);
    for (char *end; plan->points < 1024; rest = end, plan->points++) {
      long offset = strtol(rest, &end, 0);
      if (end == rest) break;
      plan->hidden[plan->points] = strchr(rest, '-') && strchr(rest, '-') < end;
      plan->start[plan->points] = (uint32_t)labs(offset);
    }
    check("GetFunctionFromToken", CALL(module, 9, (void *, uint32_t, void **), plan->token, (void **)&function));
    check("GetILCode", CALL(function, 6, (void *, void **), (void **)&il));
    check("GetSize", CALL(il, 6, (void *, uint32_t *), &plan->size));
    check("CreateBreakpoint", CALL(il, 7, (void *, uint32_t, void **), plan->start[0], (void **)&plan->point));
    check("Activate", CALL(plan->point, 3, (void *, int32_t), 1));
  }
}

// Counts a stop. The breakpoint comes by its base interface; the one that was created is ICorDebugFunctionBreakpoint.
static int32_t stop(void *self, void *domain, Object *thread, Object *breakpoint) {
  static const uint8_t function[16] = {0xe9, 0xca, 0x7b, 0xcc, 0x68, 0x8a, 0xd2, 0x11, 0x98, 0x3c, 0, 0, 0xf8, 0x08, 0x34, 0x2d};
  Object *point = NULL;
  if (CALL(breakpoint, 0, (void *, const void *, void **), function, (void **)&point) >= 0) {
    uint32_t at = 0;
    for (uint32_t plan = 0; plan < plan_count; plan++) {
      if (plans[plan].point != point) continue;
      CALL(point, 3, (void *, int32_t), 0);
      printf("0x%08x\t", plans[plan].token);
      step(thread);
      release(point);
      return go_on(self, domain);
    }
    while (at < hit_count && hits[at].point != point) at++;
    if (at < hit_count) hits[at].stops++;
    if (at < hit_count && shows_bodies) count_in_body(thread, &hits[at]);
    if (at == hit_count) fprintf(stderr, "an unknown breakpoint\n");
    release(point);
  }
  return go_on(self, domain);
}

static int32_t query(void *self, const void *id, void **out) { (void)id; *out = self; return 0; }
static int32_t count(void *self) { (void)self; return 1; }

static uint64_t base_of(const char *library) {
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/%d/maps", child);
  FILE *maps = fopen(path, "r");
  while (maps && fgets(line, sizeof line, maps)) if (strstr(line, library)) { fclose(maps); return strtoull(line, NULL, 16); }
  fail("no libcoreclr.so in the process", 0);
}

static int is_accepted(Object *il, uint32_t token, uint32_t offset) {
  Object *breakpoint;
  int32_t code = CALL(il, 7, (void *, uint32_t, void **), offset, (void **)&breakpoint);
  if (code >= 0) {
    code = CALL(breakpoint, 3, (void *, int32_t), 1);
    if (code >= 0 && counts_hits) {
      if (hit_count == ENTRIES) fail("too many breakpoints", 0);
      hits[hit_count++] = (Hits){breakpoint, token, offset, 0};
      return 1;
    }
    if (code >= 0) CALL(breakpoint, 3, (void *, int32_t), 0);
    release(breakpoint);
  }
  if (code < 0 && code != UNABLE) fprintf(stderr, "breakpoint at IL 0x%x: 0x%08x\n", offset, (unsigned)code);
  return code >= 0;
}

static const char *const registers[] = {"rip", "rsp", "rbp", "rax", "rcx", "rdx", "rbx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};

static void print_home(Object *home) {
  uint32_t index, start, end, at;
  int32_t kind, offset;
  int is_local = CALL(home, 5, (void *, uint32_t *), &index) < 0;
  if (is_local) check("GetSlotIndex", CALL(home, 4, (void *, uint32_t *), &index));
  check("GetLiveRange", CALL(home, 6, (void *, uint32_t *, uint32_t *), &start, &end));
  check("GetLocationType", CALL(home, 7, (void *, int32_t *), &kind));
  printf("%s%u:%x-%x:", is_local ? "l" : "a", index, start, end);
  if ((kind != 0 && kind != 1) || CALL(home, 8, (void *, uint32_t *), &at) < 0) printf("?");
  else if (at < sizeof registers / sizeof *registers) printf("%s", registers[at]);
  else if (at == AMBIENT) printf("rsp@prolog");
  else printf("?");
  if (kind == 1 && CALL(home, 9, (void *, int32_t *), &offset) >= 0) printf("%s%x", offset < 0 ? "-" : "+", offset < 0 ? -(uint32_t)offset : (uint32_t)offset);
}

static void print_homes(Object *native) {
  static const uint8_t id[16] = {0xa4, 0x1f, 0x22, 0x18, 0xcb, 0x20, 0xfa, 0x40, 0xb1, 0x9d, 0x9f, 0x91, 0xc4, 0xfa, 0x8c, 0x14}; // ICorDebugCode4
  Object *code, *list, *home;
  uint32_t found;
  check("QueryInterface", CALL(native, 0, (void *, const void *, void **), id, (void **)&code));
  if (CALL(code, 3, (void *, void **), (void **)&list) >= 0) {
    for (int at = 0; CALL(list, 7, (void *, uint32_t, void **, uint32_t *), 1, (void **)&home, &found) >= 0 && found == 1; at++) {
      if (at) printf(" ");
      print_home(home), release(home);
    }
    release(list);
  }
  release(code);
}

static void print_map(const Entry *map, uint32_t entries) {
  for (uint32_t at = 0; at < entries; at++) printf(map[at].il < 0 ? "%s%d@%x" : "%s%x@%x", at ? " " : "", map[at].il, map[at].native);
}

static int print_method(uint32_t token) {
  static Entry map[ENTRIES];
  Object *function, *il, *native;
  uint32_t size, il_size, entries = 0;
  if (CALL(module, 9, (void *, uint32_t, void **), token, (void **)&function) < 0) return 0;
  if (CALL(function, 7, (void *, void **), (void **)&native) < 0 || !native) { release(function); return 0; }
  check("GetILCode", CALL(function, 6, (void *, void **), (void **)&il));
  check("GetSize", CALL(native, 6, (void *, uint32_t *), &size));
  check("GetSize", CALL(il, 6, (void *, uint32_t *), &il_size));
  if (counts_hits) {
    for (uint32_t at = 0; at < il_size; at++) is_accepted(il, token, at);
    release(native), release(il), release(function);
    return 1;
  }
  int32_t code = CALL(native, 10, (void *, uint32_t, uint32_t *, Entry *), ENTRIES, &entries, map);
  if (code < 0) { fprintf(stderr, "0x%08x has no map: 0x%08x\n", token, (unsigned)code); entries = 0; }
  printf("0x%08x\t%x\t", token, size);
  print_map(map, entries < ENTRIES ? entries : ENTRIES);
  printf("\t");
  if (getenv("HOMES")) print_homes(native);
  else for (uint32_t at = 0, found = 0; at < il_size; at++) if (is_accepted(il, token, at)) printf("%s%x", found++ ? " " : "", at);
  uint64_t address;
  if (getenv("ADDRESSES") && CALL(native, 5, (void *, uint64_t *), &address) >= 0) printf("\t%llx", (unsigned long long)address);
  printf("\n");
  release(native), release(il), release(function);
  return 1;
}

static void print_bodies(void) {
  for (const Body *body = bodies; body < bodies + body_count; body++) {
    printf("0x%08x\t%x\t", body->token, body->size);
    print_map(body->map, body->entries);
    printf("\t");
    for (uint32_t il = 0, found = 0; il < 256; il++) if (body->stops[il]) printf("%s%x:%u", found++ ? " " : "", il, body->stops[il]);
    printf("\t%llx\n", (unsigned long long)body->address);
  }
}

int main(int many, char **arguments) {
  if (many < 5) { fprintf(stderr, "usage: debugger RUNTIME-FOLDER MODULE METHODS COMMAND...\n"); return 2; }
  wanted = arguments[2];
  shows_bodies = !strncmp(arguments[3], "bodies:", 7);
  counts_hits = shows_bodies || !strncmp(arguments[3], "hits:", 5);
  const char *methods_word = strchr(arguments[3], ':');
  int in[2], out[2];
  if (pipe(in) || pipe(out)) fail("pipe", 0);
  if (!(child = fork())) {
    dup2(in[0], 0), dup2(out[1], 1), close(in[1]), close(out[0]);
    execvp(arguments[4], arguments + 4);
    _exit(127);
  }
  close(in[0]), close(out[1]);
  char line[256];
  FILE *said = fdopen(out[0], "r");
  if (!fgets(line, sizeof line, said)) fail("the process says nothing", 0);
  fputs(line, stderr);

  char path[1024];
  uint16_t access[1024] = {0};
  snprintf(path, sizeof path, "%s/libmscordaccore.so", arguments[1]);
  for (size_t at = 0; path[at]; at++) access[at] = (uint16_t)path[at];
  snprintf(path, sizeof path, "%s/libmscordbi.so", arguments[1]);
  void *library = dlopen(path, RTLD_NOW);
  if (!library) { fprintf(stderr, "%s\n", dlerror()); fail("dlopen", 0); }
  // The library is started as Windows starts one.
  ((int32_t (*)(void *, uint32_t, void *))dlsym(library, "DllMain"))(library, 1, NULL);
  int32_t (*create)(int, uint32_t, void *, uint16_t *, void *, void **) = dlsym(library, "CoreCLRCreateCordbObject3");
  Object *debugger, *process;
  check("CoreCLRCreateCordbObject3", create(4, (uint32_t)child, NULL, access, (void *)base_of("libcoreclr.so"), (void **)&debugger));
  void *functions[40] = {query, count, count};
  for (int at = 3; at < 40; at++) functions[at] = at == 13 ? (void *)load_module : at == 3 ? (void *)stop : at == 4 ? (void *)step_complete : (void *)go_on;
  Object handler = {functions};
  check("Initialize", CALL(debugger, 3, (void *)));
  check("SetManagedHandler", CALL(debugger, 5, (void *, void *), &handler));
  check("DebugActiveProcess", CALL(debugger, 8, (void *, uint32_t, int32_t, void **), (uint32_t)child, 0, (void **)&process));
  for (int wait = 0; !*(Object *volatile *)&module; wait++) { if (wait == 300) fail("the module is not loaded", 0); usleep(100000); }
  usleep(500000);
  check("Stop", CALL(process, 3, (void *, uint32_t), 0));
  unsigned methods = 0;
  if (!strncmp(arguments[3], "steps:", 6)) {
    read_plans(arguments[3] + 6);
    check("Continue", CALL(process, 4, (void *, int32_t), 0));
    close(in[1]);
    waitpid(child, NULL, 0);
    fflush(stdout);
    _exit(ferror(stdout) != 0);
  }
  for (uint32_t row = 1, last = (uint32_t)strtoul(methods_word ? methods_word + 1 : arguments[3], NULL, 0); row <= last; row++) methods += print_method(0x06000000 | row);
  fprintf(stderr, "%u methods have machine code\n", methods);
  if (shows_bodies) {
    check("Continue", CALL(process, 4, (void *, int32_t), 0));
    if (write(in[1], "\n", 1) != 1) fail("write", 0);
    do if (!fgets(line, sizeof line, said)) fail("the process does not say done", 0); while (strncmp(line, "done", 4));
    check("Stop", CALL(process, 3, (void *, uint32_t), 0));
    for (uint32_t at = 0; at < hit_count; at++) CALL(hits[at].point, 3, (void *, int32_t), 0);
    print_bodies();
  } else if (counts_hits) {
    check("Continue", CALL(process, 4, (void *, int32_t), 0));
    close(in[1]);
    waitpid(child, NULL, 0);
    for (uint32_t at = 0; at < hit_count; at++) {
      int is_first = !at || hits[at].token != hits[at - 1].token;
      if (is_first) printf("%s0x%08x\t", at ? "\n" : "", hits[at].token);
      printf("%s%x:%u", is_first ? "" : " ", hits[at].il, hits[at].stops);
    }
    printf("\n");
    fflush(stdout);
    _exit(ferror(stdout) != 0);
  }
  fflush(stdout);
  // The process ends by itself, because at its end it writes the trace. Slot 9 is Detach.
  check("Detach", CALL(process, 9, (void *)));
  char pid[16];
  snprintf(pid, sizeof pid, "%d", child);
  setenv("PID", pid, 1);
  if (getenv("AFTER") && system(getenv("AFTER"))) fail(getenv("AFTER"), 0);
  close(in[1]);
  waitpid(child, NULL, 0);
  _exit(ferror(stdout) != 0);
}
