// Prints the functions of a program that run after one of them has ended, in the order of their first calls:
// called-functions PROGRAM FUNCTION [ARGUMENT...]
//
// Standard input has the lines of nm(1) for PROGRAM: address, type and name. The tool starts PROGRAM with the arguments, and
// ends it once it has called no further function for six seconds. Each function gets a breakpoint, which its first call
// removes, so that the program is hardly slower. Functions on the stack when FUNCTION ends count as called. If $PROCESSES names a
// folder, the program's process id becomes a link to "self" there. For x86-64.
//
// Exits with 1 if the program cannot be traced, or ends by itself.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct function {
    uintptr_t address;
    uint8_t instruction;
    // The function's place in the order of first calls, from 1 on; 0 if it was not called.
    size_t turn;
    char *name;
};

static struct function *functions;
static size_t count, called_count;
static uintptr_t entry;

// In seconds. The daemon rehearses a warning some milliseconds after its start, and frees the memory of hosts 5 s after they leave.
static const unsigned start_limit = 60, silence = 6;
static const uint8_t breakpoint = 0xCC;

static void fail(const char *what) {
    fprintf(stderr, "called-functions: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int by_address(const void *left, const void *right) {
    const struct function *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

static int by_turn(const void *left, const void *right) {
    const struct function *a = left, *b = right;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

// Functions at the same address count as one, with the first of their names.
static void read_symbols(void) {
    char line[65536], name[65536], type;
    uintptr_t address;
    size_t room = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%lx %c %65535s", &address, &type, name) != 3 || !strchr("tTwW", type)) continue;
        if (strcmp(name, "_start") == 0) entry = address;
        if (count == room) {
            room = 2 * room + 1024;
            functions = realloc(functions, room * sizeof *functions);
            if (!functions) fail("realloc");
        }
        functions[count++] = (struct function){.address = address, .name = strdup(name)};
    }
    if (count == 0 || !entry) exit(1);
    qsort(functions, count, sizeof *functions, by_address);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (functions[i].address != functions[kept - 1].address) functions[kept++] = functions[i];
    }
    count = kept;
}

static struct function *function_named(const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    }
    return NULL;
}

static struct function *function_at(uintptr_t address) {
    struct function key = {.address = address};
    return bsearch(&key, functions, count, sizeof *functions, by_address);
}

static void mark(struct function *function) {
    if (!function->turn) function->turn = ++called_count;
}

// Marks the function that contains an address.
static void mark_around(uintptr_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    if (low > 0) mark(&functions[low - 1]);
}

// Writes a byte, and returns the previous one.
static uint8_t exchange(pid_t thread, uintptr_t address, uint8_t byte) {
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, thread, address, 0);
    if (errno) fail("PTRACE_PEEKTEXT");
    if (ptrace(PTRACE_POKETEXT, thread, address, (word & ~0xFFL) | byte)) fail("PTRACE_POKETEXT");
    return (uint8_t)word;
}

// Whether an address of the process is among the program's functions.
static int is_own(uintptr_t address, uintptr_t base) {
    return address >= base + functions[0].address && address <= base + functions[count - 1].address;
}

// Marks the functions on the stack; all functions of the program keep frame pointers.
static void mark_stack(pid_t thread, const struct user_regs_struct *registers, uintptr_t base) {
    uintptr_t frame = registers->rbp;
    for (uintptr_t address = registers->rip; is_own(address, base);) {
        mark_around(address - base);
        address = (uintptr_t)ptrace(PTRACE_PEEKDATA, thread, frame + sizeof frame, 0);
        frame = (uintptr_t)ptrace(PTRACE_PEEKDATA, thread, frame, 0);
    }
}

// Steps to the end of the function that a thread has just entered, and marks the functions that run on the way. That
// function drops the program's pages, including its own, and with them all breakpoints.
static int step_out(pid_t thread, struct user_regs_struct *registers, uintptr_t base) {
    uintptr_t stack = registers->rsp;
    int status;
    while (registers->rsp <= stack) {
        if (is_own(registers->rip, base)) mark_around(registers->rip - base);
        ptrace(PTRACE_SINGLESTEP, thread, 0, 0);
        if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status)) return 0;
        ptrace(PTRACE_GETREGS, thread, 0, registers);
    }
    return 1;
}

// The distance of the program in memory from its addresses in the file.
static uintptr_t displacement(pid_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)process);
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    Elf64_auxv_t value;
    while (fread(&value, sizeof value, 1, file) == 1) {
        if (value.a_type != AT_ENTRY) continue;
        fclose(file);
        return value.a_un.a_val - entry;
    }
    exit(1);
}

static pid_t start(char **arguments) {
    pid_t process = fork();
    if (process < 0) fail("fork");
    if (process == 0) {
        // For sd_listen_fds(3), which checks whether the passed sockets are meant for this process.
        char own[16], path[4096];
        snprintf(own, sizeof own, "%d", (int)getpid());
        setenv("LISTEN_PID", own, 1);
        const char *processes = getenv("PROCESSES");
        snprintf(path, sizeof path, "%s/%s", processes ? processes : "", own);
        if (processes && symlink("self", path)) fail(path);
        if (ptrace(PTRACE_TRACEME, 0, 0, 0)) fail("PTRACE_TRACEME");
        execv(arguments[0], arguments);
        fail(arguments[0]);
    }
    int status;
    if (waitpid(process, &status, 0) != process || !WIFSTOPPED(status)) exit(1);
    if (ptrace(PTRACE_SETOPTIONS, process, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE)) fail("PTRACE_SETOPTIONS");
    return process;
}

// Handles SIGALRM, which only has to interrupt waitpid(2).
static void interrupt(int signal) { (void)signal; }

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    read_symbols();
    struct function *last = function_named(argv[2]);
    if (!last) return 1;
    argv[2] = argv[1];
    pid_t process = start(argv + 2);
    uintptr_t base = displacement(process);
    last->instruction = exchange(process, base + last->address, breakpoint);
    ptrace(PTRACE_CONT, process, 0, 0);

    // Without SA_RESTART.
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = interrupt}, NULL);
    alarm(start_limit);
    int has_started = 0, status;
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0) break;
        if (!WIFSTOPPED(status)) {
            if (thread == process) return 1;
            continue;
        }
        int signal = WSTOPSIG(status);
        struct user_regs_struct registers;
        struct function *called = NULL;
        if (signal == SIGTRAP && !(status >> 16)) {
            if (ptrace(PTRACE_GETREGS, thread, 0, &registers)) continue;
            called = function_at(registers.rip - 1 - base);
        }
        if (called) {
            // Another thread may have removed the breakpoint after this one reached it.
            if (!called->turn || called == last) exchange(thread, base + called->address, called->instruction);
            mark(called);
            registers.rip--;
            ptrace(PTRACE_SETREGS, thread, 0, &registers);
            if (called == last) {
                if (!step_out(thread, &registers, base)) return 1;
                if (!has_started) mark_stack(thread, &registers, base);
                has_started = 1;
                for (size_t i = 0; i < count; i++) {
                    if (functions[i].turn && &functions[i] != last) continue;
                    functions[i].instruction = exchange(thread, base + functions[i].address, breakpoint);
                }
            }
            alarm(silence);
        }
        // A new thread stops once. SIGTRAP is for the tool.
        int is_tools = signal == SIGTRAP || (signal == SIGSTOP && thread != process);
        ptrace(PTRACE_CONT, thread, 0, is_tools ? 0 : signal);
    }
    kill(process, SIGKILL);
    if (!has_started) return 1;
    qsort(functions, count, sizeof *functions, by_turn);
    for (size_t i = count - called_count; i < count; i++) puts(functions[i].name);
}
