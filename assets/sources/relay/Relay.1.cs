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

    static void Main()
    {
        Console.WriteLine(Forward(Back(4)));
    }
}
