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
}

public enum Stripping
{
	Ends,
	All,
}
