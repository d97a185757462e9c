using System;
using System.Collections.Generic;
using System.Linq;

public static class Parcels
{
    public static int Total(string[] labels)
    {
        int seven = labels.Length + 7;
        var rules = new List<Func<int, int>>();
        rules.Add(x => x + 1);
        rules.Add(x => x * seven);
        rules.Add(x => x - 2);
        rules.Add(x => x * 3);
        rules.Add(x => seven - x);
        rules.Add(x => x / 5);
        rules.Add(x => x * x);
        rules.Add(x => seven + x + 9);
        return rules.Sum(rule => Rounded(rule(1)));

        int Rounded(int value) => value / 10 * 10;
    }

    public static int Weigh(string label)
    {
        int sum = 0;
        foreach (char c in label)
        {
            if (c == ',') continue;
            sum += c - '0';
        }
        return sum;
    }

    public static int Template(int size)
    {
#line 10 "Generated.cs"
        size += 1;
#line 20 "Template.razor"
        size += 2;
#line default
        return size;
    }

    public static bool IsLight(int grams)
    {
        return grams < 500;
    }

    public static int Old(int grams)
    {
        return grams / 28;
    }

    public static bool IsHeavy(int grams)
    {
        return grams > 20000;
    }
}
