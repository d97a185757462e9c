/* A library whose function is not exported: only its PDB names it. */
static volatile long turns;

static __attribute__((noinline)) long turn_until(volatile long *stop)
{
    long mine = 0;
    while (!*stop) {
        turns++;
        mine++;
    }
    return mine;
}

__declspec(dllexport) long work(volatile long *stop)
{
    long mine = turn_until(stop);
    return mine + 1;
}
