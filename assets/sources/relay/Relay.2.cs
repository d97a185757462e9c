using System;

static class Relay
{
    static int Forward(int value)
    {
        int doubled = value * 2;
        return doubled;
    }

    // The first edit: the body of the method with row 2 changes.
    static int Back(int value)
    {
        if (value < 0)
            return 0;
        return value - 1;
    }

    // The second edit: a new method, and a body that calls it.
    static int Twice(int value)
    {
        return Forward(Forward(value));
    }

    static void Main()
    {
        Console.WriteLine(Twice(Back(4)));
    }
}
