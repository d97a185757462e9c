using System;

static class Relay
{
    static int Forward(int value)
    {
        int doubled = value * 2;
        return doubled;
    }

    static int Back(int value)
    {
        return value - 1;
    }

    static void Main()
    {
        Console.WriteLine(Forward(Back(4)));
    }
}
