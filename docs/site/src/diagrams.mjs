// Diagrams of states, which GitHub draws and the site shows as tables.

/** The Markdown with a table of each state's transitions in the place of a state diagram. */
export function withTables(markdown) {
  return markdown.replace(/```mermaid\nstateDiagram-v2\n([\s\S]*?)```/g, (_block, lines) => tablesOf(lines))
}

function tablesOf(lines) {
  const transitions = lines
    .split('\n')
    .map((line) => /^\s*(\w+) --> (\w+) : (\S+) \[(.*)\]$/.exec(line))
    .filter((match) => match !== null)
  return [...Map.groupBy(transitions, ([, from]) => from)].map(tableOf).join('\n')
}

function tableOf([from, transitions]) {
  const rows = transitions.map(([, , to, step, conditions]) => `| ${code(step)} | ${code(to)} | ${conditions} |`)
  const head = ['| Step | Leads to | If one of these is true |', '| --- | --- | --- |']
  return [`From ${code(from)}:`, '', ...head, ...rows, ''].join('\n')
}

const code = (text) => `\`${text}\``
