// Throws inside the framework, and prints each frame as the runtime sees it: assembly, token, native offset, IL offset, tab-separated.
// Run with DOTNET_TieredCompilation=0, so that each frame is one of the precompiled code of its image, or of the JIT.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml;

static class Frames
{
    static readonly Action[] Throwers =
    {
        () => int.Parse("x"), () => double.Parse("x"), () => Guid.Parse("x"), () => Version.Parse("x"), () => DateTime.Parse("x"),
        () => TimeSpan.Parse("x"), () => Enum.Parse(typeof(DayOfWeek), "x"), () => new Uri("http://["), () => new Uri(null, "x"),
        () => new Uri("x"), () => new UriBuilder("http://x").Port = -2, () => Uri.UnescapeDataString(null), () => JsonDocument.Parse("{"),
        () => JsonDocument.Parse("[1,"), () => JsonSerializer.Deserialize<int[]>("[x"), () => JsonSerializer.Deserialize<DateTime>("1"),
        () => Enumerable.Empty<string>().First(), () => new List<string>()[0].ToString(), () => new List<int>(-1),
        () => new Dictionary<string, string>()["x"].ToString(), () => new SortedDictionary<string, string>()["x"].ToString(),
        () => new Stack<string>().Pop(), () => new Queue<string>().Dequeue(), () => new SortedList<string, string>().RemoveAt(1),
        () => new LinkedList<string>().RemoveFirst(), () => new PriorityQueueLike().Go(), () => Convert.FromBase64String("!"),
        () => Convert.ToInt32("x"), () => new Regex("("), () => new Regex("a{2,1}"), () => XmlConvert.ToInt32("x"),
        () => XmlReader.Create(new StringReader("<a")).ReadToEnd(), () => Type.GetType("x.y, z", true), () => Activator.CreateInstance(typeof(string)),
        () => string.Format("{", 1), () => string.Format("{9}", 1), () => "x".Substring(2), () => "x".Remove(3), () => "x".Insert(4, "y"),
        () => new StringBuilder("x").Insert(9, "y"), () => Array.Copy(new int[1], new int[1], 2), () => Array.CreateInstance(typeof(int), -1),
        () => new UTF8Encoding(false, true).GetString(new byte[] { 0xff }), () => Encoding.GetEncoding("x"), () => File.ReadAllText("/none/x"),
        () => File.OpenRead(""), () => new FileStream("/none/x", FileMode.Open), () => Directory.GetFiles("/none"), () => Path.GetFullPath(""),
        () => new MemoryStream(new byte[1], false).SetLength(9), () => new BinaryReader(new MemoryStream()).ReadInt32(),
        () => Environment.GetFolderPath((Environment.SpecialFolder)999), () => System.Text.Encoding.UTF8.GetBytes((string)null),
        () => new System.Globalization.CultureInfo("x-y-z-qq-1"), () => TimeZoneInfo.FindSystemTimeZoneById("x"), () => BitConverter.ToInt32(new byte[1], 0),
    };

    static void ReadToEnd(this XmlReader reader) { while (reader.Read()) { } }

    sealed class PriorityQueueLike : System.Collections.ObjectModel.ReadOnlyCollection<string>
    {
        public PriorityQueueLike() : base(new List<string>()) { }
        public void Go() { ((IList<string>)this).Add("x"); }
    }

    static void Main()
    {
        var rows = new SortedSet<string>(StringComparer.Ordinal);
        foreach (var thrower in Throwers)
            try { thrower(); }
            catch (Exception caught)
            {
                for (var e = caught; e != null; e = e.InnerException)
                    foreach (var frame in new StackTrace(e, false).GetFrames())
                    {
                        var method = frame.GetMethod();
                        if (method?.Module == null || method.Module.Assembly == typeof(Frames).Assembly) continue;
                        // A frame does not say which instantiation its code is for.
                        if (method.IsGenericMethod || method.DeclaringType?.IsGenericType == true) continue;
                        var name = method.Module.Assembly.GetName().Name;
                        rows.Add($"{name}\t0x{method.MetadataToken:x8}\t0x{frame.GetNativeOffset():x}\t0x{frame.GetILOffset():x}");
                    }
            }
        foreach (var row in rows) Console.WriteLine(row);
    }
}
