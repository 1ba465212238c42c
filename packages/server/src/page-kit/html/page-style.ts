/**
 * The style of all pages. Colours come from the theme, sizes follow the text size of the browser, and the box fits a
 * phone.
 */
export const pageStyle = `
:root { color-scheme: light dark; font: 1.0625rem/1.6 var(--fonts); }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; min-height: 100vh; background: var(--background); color: var(--text); overflow-wrap: break-word; }
header, main { max-width: 28rem; margin: 0 auto; }
header { padding: 4vh clamp(1.25rem, 5vw, 2rem) 1rem; font-weight: 600; }
header a { display: inline-flex; align-items: center; gap: .75rem; max-width: 100%; color: inherit; text-decoration: none; }
header a:hover { text-decoration: underline; }
header img { display: block; max-width: 8rem; max-height: 2.5rem; }
main { margin-bottom: 3rem; padding: clamp(1.25rem, 5vw, 2rem); border-radius: var(--radius); background: var(--surface); box-shadow: 0 1px 3px rgb(0 0 0 / .2); }
main:first-child { margin-top: 8vh; }
h1, h2, p, li { text-wrap: pretty; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; line-height: 1.3; }
p { margin: 0 0 1rem; }
form { margin: 0 0 1rem; }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input, select { width: 100%; min-height: 2.75rem; margin-bottom: 1rem; padding: .6rem .75rem; border: 1px solid light-dark(#6b7280, #9aa3af); border-radius: calc(var(--radius) * .66); background: transparent; color: inherit; font: inherit; }
fieldset { margin: 0 0 1rem; padding: 0; border: 0; }
legend { padding: 0; margin-bottom: .25rem; font-weight: 600; }
fieldset > p { margin-bottom: .25rem; }
option { background: var(--surface); color: var(--text); }
input[type=checkbox] { width: 1.25rem; min-height: 1.25rem; flex: none; margin: .175rem 0 0; accent-color: var(--accent); }
input[type=checkbox] + label { margin: 0; font-weight: 400; }
p:has(> input[type=checkbox]) { display: flex; align-items: flex-start; gap: .5rem; }
input[aria-invalid] { border: 2px solid light-dark(#b42318, #ff9d92); }
button { min-height: 2.75rem; padding: .6rem 1.25rem; border: 2px solid var(--accent); border-radius: calc(var(--radius) * .66); background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
form[action='/account/delete'] button { border-color: light-dark(#b42318, #ff9d92); background: light-dark(#b42318, #ff9d92); color: light-dark(#fff, #1b1f24); }
button.quiet { background: transparent; color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
ul, ol { margin: 0 0 1rem; padding-inline-start: 1.25rem; }
ul:has(> li > a) { padding: 0; list-style: none; }
ul:has(> li > a) > li + li { margin-top: .5rem; }
summary { margin: .5rem 0; color: var(--accent); cursor: pointer; }
code, pre { font-family: ui-monospace, monospace; font-size: .95em; overflow-wrap: anywhere; }
pre { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid light-dark(#6b7280, #9aa3af); border-radius: calc(var(--radius) * .66); white-space: pre-wrap; user-select: all; }
.hint { margin-top: -.75rem; font-size: .95rem; }
.problem { padding: .6rem .75rem; border-inline-start: 4px solid light-dark(#b42318, #ff9d92); background: light-dark(#fef3f2, #2c1b1a); color: light-dark(#1b1f24, #e8eaed); }
.qr { display: block; width: 14rem; max-width: 100%; margin: 0 auto 1rem; border-radius: .25rem; background: #fff; }
.answers { display: flex; flex-wrap: wrap; gap: .75rem; }
.applications { padding: 0; list-style: none; }
.applications > li { margin-bottom: 1.5rem; }
.applications + form { margin-top: 2.5rem; }
main > :last-child, form > :last-child { margin-bottom: 0; }
[hidden] { display: none; }
`
