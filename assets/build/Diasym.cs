// Writes the answers of the symbol reader of .NET (Microsoft.DiaSymReader.Native) about managed Windows PDBs as JSON: points, documents,
// scopes, variables, constants, namespaces, async information. It runs under wine, with the Windows runtime of `setup.sh`.
// Argument: a file of lines PE|PDB|OUT, as Windows paths; PE may be "-".
using System; using System.Collections.Generic; using System.Collections.Immutable; using System.IO; using System.Linq; using System.Reflection.Metadata; using System.Reflection.Metadata.Ecma335; using System.Reflection.PortableExecutable; using System.Runtime.InteropServices; using System.Runtime.InteropServices.ComTypes; using System.Text; using System.Text.Json;
[ComImport, Guid("B4CE6286-2A6B-3712-A3B7-1EE1DAD467B5"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IReader {
 [PreserveSig] int GetDocument([MarshalAs(UnmanagedType.LPWStr)] string u, Guid a, Guid b, Guid c, out IDoc d);
 [PreserveSig] int GetDocuments(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] IDoc[] d);
 [PreserveSig] int GetUserEntryPoint(out int t);
 [PreserveSig] int GetMethod(int t, out IMeth m);
 [PreserveSig] int GetMethodByVersion(int t, int v, out IMeth m);
 [PreserveSig] int GetVariables(int t, int n, out int c, IntPtr a);
 [PreserveSig] int GetGlobalVariables(int n, out int c, IntPtr a);
 [PreserveSig] int GetMethodFromDocumentPosition(IDoc d, int l, int c, out IMeth m);
 [PreserveSig] int GetSymAttribute(int t, [MarshalAs(UnmanagedType.LPWStr)] string name, int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=2)] byte[] b);
 [PreserveSig] int GetNamespaces(int n, out int c, IntPtr a);
 [PreserveSig] int Initialize([MarshalAs(UnmanagedType.IUnknown)] object imp, [MarshalAs(UnmanagedType.LPWStr)] string f, [MarshalAs(UnmanagedType.LPWStr)] string s, IStream st);
}
[ComImport, Guid("40DE4037-7C81-3E1E-B022-AE1ABFF2CA08"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IDoc {
 [PreserveSig] int GetUrl(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] char[] u);
 [PreserveSig] int GetDocumentType(ref Guid g);
 [PreserveSig] int GetLanguage(ref Guid g);
 [PreserveSig] int GetLanguageVendor(ref Guid g);
 [PreserveSig] int GetChecksumAlgorithmId(ref Guid g);
 [PreserveSig] int GetChecksum(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] byte[] b);
 [PreserveSig] int FindClosestLine(int l, out int r);
}
[ComImport, Guid("B62B923C-B500-3158-A543-24F307A8B7E1"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IMeth {
 [PreserveSig] int GetToken(out int t);
 [PreserveSig] int GetSequencePointCount(out int n);
 [PreserveSig] int GetRootScope(out IScope s);
 [PreserveSig] int GetScopeFromOffset(int o, out IScope s);
 [PreserveSig] int GetOffset(IDoc d, int l, int c, out int o);
 [PreserveSig] int GetRanges(IDoc d, int l, int c, int n, out int k, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=3)] int[] r);
 [PreserveSig] int GetParameters(int n, out int c, IntPtr a);
 [PreserveSig] int GetNamespace(out IntPtr ns);
 [PreserveSig] int GetSourceStartEnd(IntPtr a, IntPtr b, IntPtr c, out bool d);
 [PreserveSig] int GetSequencePoints(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] int[] off, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] IDoc[] docs, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] int[] sl, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] int[] sc, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] int[] el, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] int[] ec);
}
[ComImport, Guid("B20D55B3-532E-4906-87E7-25BD5734ABD2"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IAsync {
 [PreserveSig] int IsAsyncMethod(out int b);
 [PreserveSig] int GetKickoffMethod(out int t);
 [PreserveSig] int HasCatchHandlerILOffset(out int b);
 [PreserveSig] int GetCatchHandlerILOffset(out int o);
 [PreserveSig] int GetAsyncStepInfoCount(out int n);
 [PreserveSig] int GetAsyncStepInfo(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] int[] y, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] int[] r, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] int[] m);
}
[ComImport, Guid("AE932FBA-3FD8-4dba-8232-30A2309B02DB"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IScope {
 [PreserveSig] int GetMethod(out IMeth m);
 [PreserveSig] int GetParent(out IScope m);
 [PreserveSig] int GetChildren(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] IScope[] a);
 [PreserveSig] int GetStartOffset(out int o);
 [PreserveSig] int GetEndOffset(out int o);
 [PreserveSig] int GetLocalCount(out int n);
 [PreserveSig] int GetLocals(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] IVar[] a);
 [PreserveSig] int GetNamespaces(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] INs[] a);
 [PreserveSig] int GetConstantCount(out int n);
 [PreserveSig] int GetConstants(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] IConst[] a);
}
[ComImport, Guid("9F60EEBE-2D9A-3F7C-BF58-80BC991C60BB"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IVar {
 [PreserveSig] int GetName(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] char[] u);
 [PreserveSig] int GetAttributes(out int a);
 [PreserveSig] int GetSignature(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] byte[] b);
 [PreserveSig] int GetAddressKind(out int a);
 [PreserveSig] int GetAddressField1(out int a);
}
[ComImport, Guid("48B25ED8-5BAD-41bc-9CEE-CD62FABC74E9"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IConst {
 [PreserveSig] int GetName(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] char[] u);
 [PreserveSig] int GetValue([MarshalAs(UnmanagedType.Struct)] out object v);
 [PreserveSig] int GetSignature(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] byte[] b);
}
[ComImport, Guid("0DFF7289-54F8-11d3-BD28-0000F80849BD"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface INs { [PreserveSig] int GetName(int n, out int c, [In,Out,MarshalAs(UnmanagedType.LPArray,SizeParamIndex=0)] char[] u); }
[ComImport, Guid("809c652e-7396-11d2-9771-00a0c9b4d50c"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]
interface IDisp { [PreserveSig] int DefineScope(IntPtr a,int b,IntPtr c,out IntPtr d); [PreserveSig] int OpenScope([MarshalAs(UnmanagedType.LPWStr)] string f,int flags,ref Guid iid,[MarshalAs(UnmanagedType.IUnknown)] out object o); }
static class P {
 [DllImport("Microsoft.DiaSymReader.Native.amd64.dll")] static extern int CreateSymReader(ref Guid id,[MarshalAs(UnmanagedType.IUnknown)] out object o);
 [DllImport("coreclr.dll")] static extern int MetaDataGetDispenser(ref Guid c,ref Guid i,[MarshalAs(UnmanagedType.IUnknown)] out object o);
 [DllImport("ole32.dll")] static extern int CreateStreamOnHGlobal(IntPtr h,bool d,out IStream s);
 static string S(char[] c,int n)=>new string(c,0,Math.Max(0,n-1));
 static string Hex(byte[] b)=>BitConverter.ToString(b).Replace("-","").ToLowerInvariant();
 static string Url(IDoc d){ d.GetUrl(0,out int n,null); var c=new char[n]; d.GetUrl(n,out n,c); return S(c,n);}
 static int Main(string[] a){
  var lines=File.ReadAllLines(a[0]);
  foreach(var l in lines){ var p=l.Split('|'); try{ Run(p[0],p[1],p[2]); Console.WriteLine("ok "+p[1]); }catch(Exception e){ Console.WriteLine("FAIL "+p[1]+" "+e.ToString().Replace("\r\n"," ").Substring(0,300)); } }
  return 0; }
 static void Run(string pe,string pdb,string outp){
  var g=new Guid("E5CB7A31-7512-11d2-89CE-0080C792E5D8"); var i=new Guid("809c652e-7396-11d2-9771-00a0c9b4d50c");
  object imp=null; int rows=0;
  if(pe!="-"){ Marshal.ThrowExceptionForHR(MetaDataGetDispenser(ref g,ref i,out var o)); var ii=new Guid("7DAC8207-D3AE-4c75-9B67-92801A497D44"); Marshal.ThrowExceptionForHR(((IDisp)o).OpenScope(pe,0,ref ii,out imp));
   using(var r=new PEReader(ImmutableArray.Create(File.ReadAllBytes(pe)))) rows=r.GetMetadataReader().GetTableRowCount(TableIndex.MethodDef); }
  else rows=5000;
  var rid=new Guid("0A3976C5-4529-4ef8-B0B2-42EED37082CD"); Marshal.ThrowExceptionForHR(CreateSymReader(ref rid,out var ro)); var rd=(IReader)ro;
  CreateStreamOnHGlobal(IntPtr.Zero,true,out var st); var bytes=File.ReadAllBytes(pdb); st.Write(bytes,bytes.Length,IntPtr.Zero); st.Seek(0,0,IntPtr.Zero);
  int hr=rd.Initialize(imp,null,null,st); if(hr<0) throw new Exception("init "+hr.ToString("x"));
  using var fo=File.Create(outp); using var w=new Utf8JsonWriter(fo,new JsonWriterOptions{Indented=true,Encoder=System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping});
  w.WriteStartObject(); rd.GetUserEntryPoint(out int ep); w.WriteNumber("entry",ep);
  rd.GetDocuments(0,out int nd,null); var docs=new IDoc[nd]; rd.GetDocuments(nd,out nd,docs);
  w.WriteStartArray("documents"); foreach(var d in docs){ w.WriteStartObject(); w.WriteString("name",Url(d)); var q=Guid.Empty; d.GetLanguage(ref q); w.WriteString("language",q.ToString()); d.GetChecksumAlgorithmId(ref q); w.WriteString("hash_algorithm",q.ToString()); d.GetChecksum(0,out int nc,null); var cb=new byte[nc]; if(nc>0) d.GetChecksum(nc,out nc,cb); w.WriteString("hash",Hex(cb)); w.WriteEndObject(); } w.WriteEndArray();
  w.WriteStartArray("methods");
  for(int row=1;row<=rows;row++){ int t=0x06000000+row; hr=rd.GetMethod(t,out var m); if(hr!=0||m==null) continue;
   w.WriteStartObject(); w.WriteString("token","0x"+t.ToString("x8"));
   m.GetSequencePointCount(out int n); var off=new int[n]; var ds=new IDoc[n]; var sl=new int[n]; var sc=new int[n]; var el=new int[n]; var ec=new int[n]; if(n>0) m.GetSequencePoints(n,out n,off,ds,sl,sc,el,ec);
   w.WriteStartArray("points"); for(int k=0;k<n;k++){ w.WriteStartObject(); w.WriteNumber("il",off[k]); w.WriteString("doc",Url(ds[k])); w.WriteNumber("sl",sl[k]); w.WriteNumber("sc",sc[k]); w.WriteNumber("el",el[k]); w.WriteNumber("ec",ec[k]); w.WriteEndObject(); } w.WriteEndArray();
   if(m.GetRootScope(out var s)==0&&s!=null){ w.WriteStartArray("scopes"); Scope(w,s,0); w.WriteEndArray(); }
   try{ var am=(IAsync)m; am.IsAsyncMethod(out int ia); if(ia!=0){ w.WriteStartObject("async"); am.GetKickoffMethod(out int kt); w.WriteString("kickoff","0x"+kt.ToString("x8")); am.HasCatchHandlerILOffset(out int hc); if(hc!=0){ am.GetCatchHandlerILOffset(out int co); w.WriteNumber("catch",co);} am.GetAsyncStepInfoCount(out int ac); var y=new int[ac]; var r2=new int[ac]; var mm=new int[ac]; if(ac>0) am.GetAsyncStepInfo(ac,out ac,y,r2,mm); w.WriteStartArray("awaits"); for(int k=0;k<ac;k++){ w.WriteStartArray(); w.WriteNumberValue(y[k]); w.WriteNumberValue(r2[k]); w.WriteNumberValue(mm[k]); w.WriteEndArray(); } w.WriteEndArray(); w.WriteEndObject(); } }catch(InvalidCastException){ }
   rd.GetSymAttribute(t,"MD2",0,out int an,null); if(an>0){ var b=new byte[an]; rd.GetSymAttribute(t,"MD2",an,out an,b); w.WriteString("md2",Hex(b)); }
   w.WriteEndObject(); }
  w.WriteEndArray(); w.WriteEndObject();
 }
 static void Scope(Utf8JsonWriter w,IScope s,int depth){
  s.GetStartOffset(out int a); s.GetEndOffset(out int b); w.WriteStartObject(); w.WriteNumber("depth",depth); w.WriteNumber("start",a); w.WriteNumber("end",b);
  s.GetLocalCount(out int n); var v=new IVar[n]; if(n>0) s.GetLocals(n,out n,v); w.WriteStartArray("variables"); foreach(var x in v){ if(x==null) continue; x.GetName(0,out int c,null); var u=new char[c]; x.GetName(c,out c,u); x.GetAttributes(out int at); x.GetAddressField1(out int slot); w.WriteStartObject(); w.WriteString("name",S(u,c)); w.WriteNumber("slot",slot); w.WriteNumber("attr",at); w.WriteEndObject(); } w.WriteEndArray();
  s.GetConstantCount(out n); var k=new IConst[n]; if(n>0) s.GetConstants(n,out n,k); w.WriteStartArray("constants"); foreach(var x in k){ if(x==null) continue; x.GetName(0,out int c,null); var u=new char[c]; x.GetName(c,out c,u); string val; try{ x.GetValue(out var o); val=o==null?"null":o.GetType().Name+":"+(o is string z?z:Convert.ToString(o,System.Globalization.CultureInfo.InvariantCulture)); }catch(Exception e){val="EX "+e.GetType().Name;} string sig=""; if(x.GetSignature(0,out int sn,null)>=0&&sn>0){ var sb=new byte[sn]; x.GetSignature(sn,out sn,sb); sig=Hex(sb);} w.WriteStartObject(); w.WriteString("name",S(u,c)); w.WriteString("value",val); w.WriteString("sig",sig); w.WriteEndObject(); } w.WriteEndArray();
  s.GetNamespaces(0,out n,null); var ns=new INs[n]; if(n>0) s.GetNamespaces(n,out n,ns); w.WriteStartArray("namespaces"); foreach(var x in ns){ if(x==null) continue; x.GetName(0,out int c,null); var u=new char[c]; x.GetName(c,out c,u); w.WriteStringValue(S(u,c)); } w.WriteEndArray();
  w.WriteEndObject();
  s.GetChildren(0,out n,null); var ch=new IScope[n]; if(n>0) s.GetChildren(n,out n,ch); foreach(var x in ch) if(x!=null) Scope(w,x,depth+1);
 }
}
