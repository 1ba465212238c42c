/** The colours of the page in light and dark; each text has a contrast of at least 4.5 (WCAG 2.2, 1.4.3). */
export const accessStyle = `:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #14171a);
  --text: light-dark(#1b1f23, #e6e8ea);
  --faint: light-dark(#57606a, #a3acb5);
  --line: light-dark(#d5dade, #363c42);
  --band: light-dark(#f3f5f7, #1e2328);
  --yes: light-dark(#116329, #6fdc8c);
  --own: light-dark(#0550ae, #79b8ff);
  --step-up: light-dark(#7a4b00, #f0b849);
  --no: light-dark(#a40e26, #ff9a9a);
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 80rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
h1 { margin: 0; font-size: 1.75rem }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.15rem }
.coverage { margin: 0.25rem 0 0; color: var(--faint) }
.frame { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px }
.frame:focus-visible { outline: 3px solid var(--own); outline-offset: 2px }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums }
caption { padding: 0.6rem 0.8rem; text-align: left; color: var(--faint) }
th, td { padding: 0.4rem 0.8rem; border-top: 1px solid var(--line); text-align: left; vertical-align: top }
thead th { background: var(--band); white-space: nowrap }
tbody th { font-weight: normal; white-space: nowrap }
.type th { background: var(--band); font-weight: 600 }
.rule { min-width: 16rem }
.count { text-align: right }
#roles + .frame thead th:not(:first-child) { text-align: right }
code { font: 0.95em ui-monospace, monospace }
.outcome { font-weight: 600; white-space: nowrap }
.o-yes { color: var(--yes) }
.o-own { color: var(--own) }
.o-step-up { color: var(--step-up) }
.o-null, .o-401, .o-403 { color: var(--no); font-weight: normal }
dl { display: grid; gap: 0.25rem; margin: 0 }
dl div { display: flex; gap: 0.75rem }
dt { min-width: 5rem }
dd { margin: 0 }
@media print { main { max-width: none; padding: 0 } .frame { overflow: visible } tr { break-inside: avoid } }
`
