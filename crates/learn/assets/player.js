(function(){var current=null;
function player(root){var prefix=root.dataset&&root.dataset.prefix||'',isAlone=root===document;
var $=function(q){return root.querySelector(q.replace('#','#'+prefix))},$$=function(q){return [].slice.call(root.querySelectorAll(q))};
var rows=$$('tr[id]'),at=-1,pinned=null,why=$('#why'),say=$('#say'),scrub=$('#scrub'),hide=$('#hide'),started=false;
var wire=null,open=$('#open'),record=$('.record'),shared=$('.shared');
shared=shared?shared.textContent.split('\n'):[];
$$('.bits i').forEach(function(x){x.replaceWith(x.textContent.split(' ').map(function(n){return shared[n]}).join('\n'))});
function wires(){var box=$('.places'),panes=$$('.places pre');if(!box||panes.length<2)return;
if(!wire){box.insertAdjacentHTML('beforeend','<svg class="wire"></svg>');wire=box.lastElementChild;
panes.forEach(function(x){x.addEventListener('scroll',wires)});window.addEventListener('resize',wires)}
var frame=box.getBoundingClientRect(),ends=[],d='';
panes.forEach(function(pane){var p=pane.getBoundingClientRect(),on=pane.querySelector('.on'),r=on&&on.getBoundingClientRect();
var y=r?(r.top+r.bottom)/2:-1;if(r&&y>p.top&&y<p.bottom)ends.push([Math.max(p.left,r.left)-frame.left,Math.min(p.right,r.right)-frame.left,y-frame.top])});
for(var i=1;i<ends.length;i++){var a=ends[i-1],b=ends[i],m=(a[1]+b[0])/2;
d+='M'+a[1]+' '+a[2]+'C'+m+' '+a[2]+' '+m+' '+b[2]+' '+b[0]+' '+b[2]}
wire.innerHTML='<path d="'+d+'"/>'}
function mark(n){$$('.on').forEach(function(x){x.classList.remove('on')});if(n===null){why.textContent='';wires();return}
$$('[data-n="'+n+'"]').forEach(function(x){x.classList.add('on')});var row=$('#f'+n);if(!row)return;
var p=row.dataset.p;if(p)$$('[data-q~="'+p+'"]').forEach(function(x){x.classList.add('on')});wires();
var b=row.nextElementSibling;why.textContent=b&&b.className=='bits'&&!covers(row)?b.textContent:''}
function covers(row){return hide&&hide.checked&&rows.indexOf(row)>=at}
function cover(){rows.forEach(function(r){r.classList.toggle('cover',covers(r))})}
function go(i){if(!rows.length||!scrub)return;at=Math.max(0,Math.min(rows.length-1,i));scrub.value=at;say.textContent='';
$('#pos').textContent='step '+(at+1)+' of '+rows.length;cover();pinned=rows[at].dataset.n;mark(pinned);
if(open)open.href=open.href.replace(/step=\d+/,'step='+pinned);
if(started)try{history.replaceState(null,'','#'+rows[at].id)}catch(e){}
if(started||isAlone){record.scrollIntoView({block:'nearest'});$$('.places pre,.reads').forEach(function(p){var q=p.querySelector('.on');if(!q)return;
var a=q.getBoundingClientRect(),b=p.getBoundingClientRect();p.scrollTop+=Math.min(0,a.top-b.top-(p.querySelector('thead')||{offsetHeight:30}).offsetHeight)||Math.max(0,a.bottom-b.bottom+14)})}started=true}
function point(d){var i=at,p=rows[at].dataset.p;while(rows[i]&&rows[i].dataset.p===p)i+=d;if(d<0)while(rows[i-1]&&rows[i-1].dataset.p===rows[i].dataset.p)i--;return i}
function near(e){var t=e.target.closest&&e.target.closest('[data-n]');return t?t.dataset.n:null}
function use(){current=root}root.addEventListener('click',use);root.addEventListener('focusin',use);if(!current)use();
root.addEventListener('mouseover',function(e){var n=near(e);mark(n===null?pinned:n)});
root.addEventListener('focusin',function(e){var n=near(e);if(n!==null)mark(n)});
root.addEventListener('click',function(e){var n=near(e);if(n===null)return;e.preventDefault();
$$('.pinned').forEach(function(x){x.classList.remove('pinned')});
$$('[data-n="'+n+'"]').forEach(function(x){x.classList.add('pinned')});pinned=n;mark(n);go(rows.indexOf($('#f'+n)))});
document.addEventListener('click',function(e){var t=e.target.closest&&e.target.closest('.to'),h=t&&t.getAttribute('href');
var i=h?rows.findIndex(function(r){return '#'+r.id===h}):-1;if(i>=0&&scrub){use();go(i)}});
rows.forEach(function(r){r.tabIndex=0});if(scrub){scrub.max=rows.length-1;scrub.oninput=function(){go(+scrub.value)};
$('#prev').onclick=function(){go(at-1)};$('#next').onclick=function(){go(at+1)};hide.onchange=function(){cover();mark(pinned)};
document.addEventListener('keydown',function(e){if(current!==root||e.target.tagName=='INPUT'&&e.target.type!='range'&&e.target.type!='checkbox')return;
var k=e.key;if(k==' '||k=='ArrowRight'||k=='j')go(at+1);else if(k=='Backspace'||k=='ArrowLeft'||k=='k')go(at-1);
else if(k==']'||k=='[')go(point(k==']'?1:-1));else if(k=='Home')go(0);else if(k=='End')go(rows.length-1);else if(k=='x'){hide.checked=!hide.checked;hide.onchange()}
else if(k=='p')$('#guess').focus();else return;e.preventDefault()});
$('#guess').onkeydown=function(e){if(e.key=='Escape'){this.blur();return}if(e.key!='Enter')return;var row=rows[Math.max(at,0)],v=this.value.trim();
var same=function(a){return a===v||(a!==''&&v!==''&&Number(a)===Number(v))};
if((row.dataset.v||'').split('|').some(same)){this.value='';go(Math.min(at,rows.length-1)+1);say.textContent='\u2713 right';return}
var because='';(row.dataset.m||'').split('\n').forEach(function(m){var c=m.indexOf('|');if(c>0&&same(m.slice(0,c)))because=m.slice(c+1)});
say.textContent='\u2717 '+((shared[because]||because).replace('#',v)||'not that')};
var named=rows.findIndex(function(r){return '#'+r.id==location.hash});go(named<0?rows.findIndex(function(r){return r.dataset.n===(root.dataset||{}).start}):named);
// The browser scrolls to the row once the page is loaded.
if(named>=0)addEventListener('load',function(){setTimeout(function(){go(at)})})}
else if(/^#f\d+$/.test(location.hash)){pinned=location.hash.slice(2);mark(pinned)}}
var all=[].slice.call(document.querySelectorAll('[data-prefix]'));if(all.length)all.forEach(player);else player(document);
[].slice.call(document.querySelectorAll('.ask')).forEach(function(ask){var input=ask.querySelector('input'),say=ask.querySelector('b');
input.onkeydown=function(e){if(e.key=='Escape'){this.blur();return}if(e.key!='Enter')return;var v=this.value.trim().toLowerCase();
var same=function(a){a=a.toLowerCase();return a===v||(a!==''&&v!==''&&Number(a)===Number(v))},because='';
if((ask.dataset.v||'').split('\n').some(same)){say.textContent='\u2713 right';return}
(ask.dataset.m||'').split('\n').forEach(function(m){var c=m.indexOf('|');if(c>0&&same(m.slice(0,c)))because=m.slice(c+1)});
say.textContent='\u2717 '+(because||'not that')}})})();
