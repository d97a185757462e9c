// Indented with tabs, of which each is one column: what is deeper than an `else if` can stand left of it.
using System.Collections.Generic;

public static class Tabs
{
	public static string StripAll(string text, Stripping how)
	{
		if (how == Stripping.Ends)
		{
			text = text.Trim();
		}
		else if (how == Stripping.All)
		{
			while (true)
			{
				text = text.Substring(1);

				if (text.Length == 0)
				{
					break;
				}
			}
		}

		return text;
	}

	public static bool IsInChain(LinkedListNode<string> node, string value)
	{
		while (true)
		{
			if (node?.Value == value)
			{
				return true;
			}

			node = node?.Previous;
			if (node == null)
			{
				break;
			}
		}

		return false;
	}

	// Some lines are indented with spaces: what is in a block stands left of its braces.
	public static int Step(int value)
	{
        if (value > 3)
        {
			value++;
			value *= 2;
        }
        else
        {
			value--;
        }

		return value;
	}
}

public enum Stripping
{
	Ends,
	All,
}

public class Margins
{
	private bool? narrow;
	private Stripping? stripping;

	public bool IsNarrow(int width)
	{
		if (narrow == null)
		{
			narrow = width < 3;
			if (width == 0)
			{
				narrow = true;
			}
		}

		return narrow.Value;
	}

	public Stripping? Stripped(int width)
	{
		stripping = Stripping.All;
		return width > 3 ? stripping : Stripping.Ends;
	}
}
