using System;
using System.Net;
static class Uris
{
    static void Main()
    {
        string[] all = { "https://user:pw@example.org:8443/a/b/../c%20d?q=1&r=%C3%A4#frag", "http://[fe80::1%25eth0]:80/x", "file:///tmp/a%20b.txt",
            "mailto:a@b.org", "http://b\u00fccher.example/\u00fc?\u00e4", "ftp://ftp.example.org/dir;type=a", "urn:isbn:0451450523", "relative/path?x#y", "http://192.168.0.1/",
            "http://host/%zz", "http://", "http://a b/", "\\\\server\\share\\file", "c:\\dir\\file.txt", "net.tcp://host:808/s", "http://EXAMPLE.org:80/%7Efoo" };
        int sum = 0;
        foreach (var text in all)
        {
            sum += Uri.TryCreate(text, UriKind.RelativeOrAbsolute, out var uri) ? 1 : 0;
            if (uri == null) continue;
            sum += uri.ToString().Length + uri.OriginalString.Length + uri.GetHashCode();
            if (!uri.IsAbsoluteUri) { sum += new Uri(new Uri("http://base/x/y"), uri).AbsoluteUri.Length; continue; }
            sum += uri.AbsoluteUri.Length + uri.AbsolutePath.Length + uri.Host.Length + uri.DnsSafeHost.Length + uri.IdnHost.Length + uri.PathAndQuery.Length;
            sum += uri.Segments.Length + uri.Fragment.Length + uri.Query.Length + uri.UserInfo.Length + (int)uri.HostNameType + uri.LocalPath.Length + uri.Authority.Length;
            sum += (uri.IsFile ? 1 : 0) + (uri.IsLoopback ? 2 : 0) + (uri.IsUnc ? 4 : 0) + (uri.IsDefaultPort ? 8 : 0) + uri.Port;
            foreach (var of in new[] { UriComponents.HttpRequestUrl, UriComponents.SerializationInfoString, UriComponents.StrongAuthority, UriComponents.Path })
                foreach (var format in new[] { UriFormat.UriEscaped, UriFormat.Unescaped, UriFormat.SafeUnescaped }) sum += uri.GetComponents(of, format).Length;
            sum += uri.IsWellFormedOriginalString() ? 1 : 0;
            sum += uri.MakeRelativeUri(new Uri("http://example.org/z")).ToString().Length;
            sum += uri.IsBaseOf(new Uri("http://example.org/z")) ? 1 : 0;
            sum += uri == new Uri("http://example.org/") ? 1 : 0;
        }
        sum += Uri.EscapeDataString("a b\u00e4\ud83d\ude00c/").Length + Uri.UnescapeDataString("a%20b%C3%A4%zz").Length + Uri.EscapeUriString("a b").Length;
        sum += Uri.CheckSchemeName("a+b") ? 1 : 0;
        sum += (int)Uri.CheckHostName("example.org") + Uri.FromHex('f') + Uri.HexEscape('x').Length;
        var builder = new UriBuilder("http", "host", 81, "/p") { Query = "a=b", Fragment = "f" };
        sum += builder.Uri.ToString().Length + builder.ToString().Length;
        Console.WriteLine(sum != 0);
    }
}
