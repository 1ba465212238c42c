// Diagrams of states, which GitHub draws and the site shows as tables.

/** The Markdown with a table of transitions in the place of each state diagram. */
export function withTables(markdown) {
  return markdown.replace(/```mermaid\nstateDiagram-v2\n([\s\S]*?)```/g, (_block, lines) => tableOf(lines))
}

function tableOf(lines) {
  const rows = lines
    .split('\n')
    .map((line) => /^\s*(\w+) --> (\w+) : (\S+) \[(.*)\]$/.exec(line))
    .filter((match) => match !== null)
    .map(([, from, to, step, conditions]) => `| ${code(from)} | ${code(step)} | ${list(conditions)} | ${code(to)} |`)
  return ['| From | Step | Condition, one of | To |', '| --- | --- | --- | --- |', ...rows, ''].join('\n')
}

const code = (text) => `\`${text}\``
const list = (conditions) => conditions.split(', ').map(code).join(', ')
