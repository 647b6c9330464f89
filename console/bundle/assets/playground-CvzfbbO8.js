import{k as i,a as e,$ as f,P as g,E as x,e as T,A as w,V as C,a4 as E,a9 as P,q as S,X as h}from"./index-5Cg_okHE.js";import{R as D,D as A,r as N}from"./repair-CHq-x1AB.js";const m=t=>{const n={version:"3.0",schema_type:"universal",timestamp:"2026-04-14T08:30:00Z",trace_id:"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",source:{skill:"release-planner",workflow_id:"run-0412",session_path:"session",phase:"Triage"},target:{skill:"patch-builder"},context:{summary:"Build the fix for the date parser; three customers are blocked.",problem_type:"implementation"},payload:{working:{ticket:"DP-118",files:["parse.c","date.c"]}},meta:{token_count:218,confidence:"high"}};return t(n),`${JSON.stringify({handoff:n},null,2)}
`},O=`Done, I think.

\`\`\`agent_contract_handoff
{
  "agent_status": {
    "plan_status": "COMPLETE",
    "agent_id": "worker-1",
    "pending_steps": ["write the tests"],
    "next_action": "close the ticket"
  },
  "evidence_report": {
    "patterns_checked": [], "files_checked": ["src/date.c"], "commands_run": [], "key_outputs": [],
    "verbatim_outputs": [], "cross_layer_impacts": [], "open_gaps": []
  }
}
\`\`\`
`,I=`<message xmlns="https://xml-pipeline.org/ns/envelope/v1">
  <meta>
    <from>client1</from>
    <thread>550e8400-e29b-41d4-a716-446655440000</thread>
  </meta>
  <calculator.add.addpayload xmlns="">
    <a>7</a>
    <b>35</b>
  </calculator.add.addpayload>
</message>
`,M=[{name:"good handoff",text:m(()=>{})},{name:"mendable handoff",text:m(t=>{delete t.trace_id,t.version=3,t.context={summary:"Build the fix.",problem_type:"Implementation"}})},{name:"broken handoff",text:m(t=>{delete t.trace_id,t.version=3,t.target={skill:"release-planner"}})},{name:"contract block",text:O},{name:"pump message",text:I}],L=["","universal","contract","governed","plan","xml"],$=300,b={text:"",made:null,problem:null};async function v(t,n,c,r){try{const o=await P(`/v1/${t}${S({as:c})}`,{method:"POST",body:n,type:"application/octet-stream",...r?{signal:r}:{}});return{text:n,made:N(o),problem:null}}catch(o){return{text:n,made:null,problem:o instanceof h?o:new h(0,{detail:String(o)})}}}function j(t,n){const[c,r]=i(b);return w(()=>{if(t===""){r(b);return}const o=new AbortController,s=setTimeout(()=>{v("check",t,n,o.signal).then(l=>o.signal.aborted||r(l))},$);return()=>{clearTimeout(s),o.abort()}},[t,n]),c}function F({asked:t}){const n=t.made?.report.documents[0];if(t.problem)return t.problem.code==="DIALECT_UNKNOWN"?e("p",{class:"notice warn",children:"Which dialect is this? Choose one above, or go on typing."}):e(g,{problem:t.problem});if(!n)return null;const{hard:c=0,warn:r=0,info:o=0}=t.made?.report.summary??{};return e(f,{children:[e("p",{role:"status",children:[e(C,{verdict:n.verdict})," ",e("span",{class:"chip",children:n.dialect})," ",e("span",{class:"muted",children:[c," hard, ",r," warnings, ",o," infos"]})]}),e(A,{text:t.text,findings:n.findings,dialect:n.dialect}),Object.keys(n.facts).length>0&&e("details",{children:[e("summary",{children:"Facts"}),e(E,{value:n.facts})]})]})}function V(t){const[n,c]=i(""),[r,o]=i(""),[s,l]=i(null),u=j(n,r),k=u.made?.report.documents[0]?.dialect??r,_=a=>void v(a,n,a==="convert"?"":k).then(y=>l({...y,act:a})),d=a=>{c(a),l(null)},p=s?.made?.document??null;return e(T,{title:"Playground",aside:e("span",{class:"muted",children:"nothing is stored"}),children:[e("div",{class:"filters",children:[e("label",{children:[e("span",{children:"dialect"}),e("select",{value:r,onChange:a=>o(a.currentTarget.value),children:L.map(a=>e("option",{value:a,children:a||"recognise it"}))})]}),e("div",{class:"buttons",role:"group","aria-label":"Samples",children:M.map(a=>e("button",{type:"button",onClick:()=>(o(""),d(a.text)),children:a.name}))}),e("div",{class:"buttons",role:"group","aria-label":"Do",children:["repair","compress","convert"].map(a=>e("button",{type:"button",disabled:n==="",onClick:()=>_(a),children:a}))})]}),e("div",{class:"columns even",children:[e("label",{class:"editor",children:[e("span",{children:"Document"}),e("textarea",{value:n,spellcheck:!1,autocomplete:"off",placeholder:"Paste a handoff, or choose a sample above",onInput:a=>d(a.currentTarget.value)})]}),e("section",{"aria-label":"Result",class:"stack",children:s?e(f,{children:[e("div",{class:"buttons",children:[e("strong",{children:s.act}),e("button",{type:"button",onClick:()=>l(null),children:"Back to the check"}),p!==null&&e("button",{type:"button",onClick:()=>d(`${p.trimEnd()}
`),children:"Take this text"})]}),s.problem&&e(g,{problem:s.problem}),s.made&&e(D,{text:s.text,made:s.made})]}):n===""?e(x,{title:"Findings appear here as you type.",children:[e("p",{children:"Each names its rule, its place and what to do. The same judgement comes from the command line:"}),e("p",{children:e("code",{children:"baton check FILE"})})]}):e(F,{asked:u})})]})]})}export{V as Playground};
