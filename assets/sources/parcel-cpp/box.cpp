#include "shapes.h"

namespace parcel {

void Box::moved(int zone)
{
    Tracked::moved(zone);
    flags_.zone = zone;
    flags_.stamp += 1;
}

int weigh(Stack<const Item *, 8> &stack)
{
    int sum = 0;
    while (stack.count()) {
        const Item *item = stack.pop();
        sum += postage(*item);
    }
    return sum;
}

/* The same code twice: /OPT:ICF gives both one address. */
__declspec(noinline) int first_copy(int value) { return value * 31 + 7; }
__declspec(noinline) int second_copy(int value) { return value * 31 + 7; }

}
