// Runs each throw site of an assembly, and prints each exception: a line with the name of the site, then a line for each frame with tab-separated
// values: method, token, IL offset, file and line; the last two are empty where the runtime has none. `-` stands for frames of other assemblies.
// Argument: the assembly.
using System; using System.Diagnostics; using System.IO; using System.Linq; using System.Reflection; using System.Threading.Tasks;

static class ThrowSites
{
    static Module module;

    static void Main(string[] arguments)
    {
        var assembly = Assembly.LoadFrom(Path.GetFullPath(arguments[0]));
        module = assembly.ManifestModule;
        if (assembly.EntryPoint is MethodInfo entry) Run("Main", () => entry.Invoke(null, entry.GetParameters().Length > 0 ? new object[] { new string[0] } : null));
        var sites = assembly.GetTypes().First(type => type.Name == "Sites");
        foreach (var site in sites.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.DeclaredOnly)
                     .Where(method => method.GetParameters().Length == 0 && !method.IsGenericMethod && !method.IsSpecialName).OrderBy(method => method.MetadataToken))
            Run(site.Name, () => Wait(site.Invoke(null, null)));
    }

    static void Wait(object result)
    {
        if (result is Task task) task.GetAwaiter().GetResult();
        else if (result is ValueTask<int> value) value.AsTask().GetAwaiter().GetResult();
    }

    static void Run(string name, Action site)
    {
        try { site(); Console.Error.WriteLine($"{name}: nothing thrown"); }
        catch (Exception thrown) { for (var one = thrown; one != null; one = one.InnerException) if (one is not TargetInvocationException) Print(name, one); }
    }

    static void Print(string site, Exception thrown)
    {
        Console.WriteLine(site);
        var isOther = false;
        foreach (var frame in new StackTrace(thrown, true).GetFrames())
        {
            var method = frame.GetMethod();
            if (method == null || IsHidden(method) || method.DeclaringType == typeof(ThrowSites)) continue;
            var name = (method.DeclaringType == null ? "" : method.DeclaringType.FullName?.Replace('+', '.') + ".") + method.Name;
            if (method.Module != module) { if (!isOther) Console.WriteLine("-"); isOther = true; continue; }
            isOther = false;
            var has = frame.GetFileLineNumber() != 0;
            var file = has ? Path.GetFileName(frame.GetFileName().Replace('\\', '/')) : "";
            Console.WriteLine(string.Join("\t", name, $"0x{method.MetadataToken:x8}", $"0x{frame.GetILOffset():x}", file, has ? frame.GetFileLineNumber() : ""));
        }
    }

    static bool IsHidden(MethodBase method) =>
        method.IsDefined(typeof(StackTraceHiddenAttribute), false) || method.DeclaringType?.IsDefined(typeof(StackTraceHiddenAttribute), false) == true;
}
