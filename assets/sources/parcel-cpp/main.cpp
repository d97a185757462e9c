#include "shapes.h"

using namespace parcel;

extern "C" int _fltused = 0;

void __cdecl operator delete(void *, decltype(sizeof 0)) noexcept {}

static int total;

extern "C" __declspec(dllexport) int parcel_total() { return total; }

extern "C" int __cdecl _purecall() { return 0; }

extern "C" int entry()
{
    Box small(250, Label{'s', "small", 3});
    Box large(4000, Label{'l', "large", 9});
    Stack<const Item *, 8> stack;
    stack.push(&small);
    stack.push(&large);
    small.moved(first_copy(1));
    large.moved(second_copy(2));
    total = weigh(stack);
    for (int round = 0; round < 3; round++) {
        int fee = postage(small);
        total += clamp(fee, 0, 900);
    }
    return total;
}
