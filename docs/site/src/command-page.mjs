// Every command of `latchkey` with its help.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './documents.mjs'

const introduction = `\`npx latchkey\` is the command of \`@latchkey/server\`. \`<file>\` is the module that exports the server; the
\`package.json\` of the project may name it: \`"latchkey": { "server": "server.ts" }\`.`

export async function commandPage() {
  const commands = await readCommands()
  const rows = commands.map(({ name, summary }) => `| \`latchkey ${name}\` | ${summary} |`)
  return [
    '# Command line',
    introduction,
    `| Command | Does |\n| --- | --- |\n${rows.join('\n')}`,
    ...commands.map(({ name, help }) => `## \`latchkey ${name}\`\n\n\`\`\`text\n${help}\n\`\`\``),
  ].join('\n\n')
}

async function readCommands() {
  const folder = join(root, 'packages/server/src/cli')
  const files = globSync('**/*-{command,commands}.ts', { cwd: folder }).sort()
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(folder, file)).href)))
  const found = modules
    .flatMap((module) => Object.values(module).flat())
    .filter((value) => typeof value?.help === 'string')
  return [...new Map(found.map((command) => [command.name, command])).values()]
}
