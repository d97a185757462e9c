using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;

// What C# binds otherwise than the text without a cast, an element type or a name of a class would say.
public sealed class Reading
{
    public static Reading Empty { get; } = new Reading(int.MaxValue);

    public int Degrees { get; }

    public Reading(int degrees)
    {
        Degrees = degrees;
    }

    public static implicit operator Reading(int degrees) => new Reading(degrees);

    public static implicit operator Reading(bool isOn) => new Reading(isOn ? 1 : 0);
}

public static class Scales
{
    public static int Halved(this List<int> values) => values.Count / 2;

    public static int Halved<T>(T value, T other) where T : IComparable<T> => value.CompareTo(other) / 2;

    public static int Halved(int value, int other) => Halved<int>(value, other);
}

public static class OtherScales
{
    public static int Halved(this List<int> values) => Scales.Halved(values) + 1;
}

public class Binding
{
    readonly List<string> _names = new List<string>();
    readonly uint[] _keys = new uint[3];

    public static Reading Switched(bool isOn)
    {
        if (isOn)
        {
            return true;
        }
        return 0;
    }

    public static bool IsMarked(MemberInfo member) => CustomAttributeExtensions.IsDefined(member, typeof(ObsoleteAttribute), true);

    public void Mix(byte salt)
    {
        _keys[1] = _keys[1] + salt;
        _keys[2] += salt;
    }

    public int Insert(object name)
    {
        ((IList)_names).Add(name);
        ((IList)_names)[0] = name;
        return ((ICollection)_names).Count;
    }

    public IEnumerator Names() => ((IEnumerable)_names).GetEnumerator();

    public static decimal Share(long part, long whole)
    {
        return part * (decimal)whole;
    }

    public static string Listed(int month, int year) => Joined("{0} of {1}", month, year);

    static string Joined(string format, params object[] values) => string.Format(format, values);

    public static object Boxes(int month) => new object[] { month, month + 1 };

    public static IEnumerable<int> Pairs(IEnumerable<int> source)
    {
        using var all = source.GetEnumerator();
        while (all.MoveNext())
        {
            yield return all.Current;
        }
    }

    public static int Last(int[] values, Func<int, bool> isWanted)
    {
        int found = 0;
        foreach (int value in values)
        {
            found = value;
            if (isWanted(value)) continue;
            break;
        }
        return found;
    }

    public static string Kind(object value)
    {
        if (value is int)
        {
            return "int";
        }
        else if (value is long)
        {
            var text = value.ToString();
            return text + " long";
        }
        else if (value is string)
        {
            return "string";
        }

        switch (value)
        {
            case byte small when small > 7: return "large";
            case byte: return "small";
            default: return value is short ? "short" : "other";
        }
    }
}

public readonly struct Amount
{
    private readonly long cents;

    public Amount(long cents) => this.cents = cents;

    public static Amount operator +(Amount amount, int cents) => new(amount.cents + cents);

    public static Amount operator ++(Amount amount) => new(amount.cents + 100);

    public static implicit operator Amount(int cents) => new(cents);

    public static Amount operator -(Amount one, Amount other) => new(one.cents - other.cents);

    public static Amount Raised(Amount amount, Amount[] others)
    {
        amount += 1;
        amount++;
        amount -= 1;
        others[0] += 1;
        others[0]++;
        decimal price = amount.cents;
        price++;
        price += 1;
        return price > 2 ? amount : others[0];
    }
}

public sealed class Series
{
    private readonly double[] values = new double[8];

    public double this[int at]
    {
        get => values[at];
        set => values[at] = value;
    }

    public static void Scale(Series series, int i, double by)
    {
        series[i + 1] = series[i + 1] * by;
        series[i + 1] *= by;
        series[i] *= by;
    }
}
