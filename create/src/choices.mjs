import { existsSync, readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'

export const help = `usage: npm create latchkey [folder] [-- options]

Creates a GraphQL service with accounts, roles and ownership, and with tests that pass.

  --database <name>    sqlite (default) or postgres
  --react              a page in React and Vite, too
  --yes                asks nothing: the defaults for what is not given
  --tarballs <folder>  takes the packages of Latchkey from packed files instead of the registry
  --json               prints the folder and its files as JSON
  --help               this text

Exit code
  0  the project is there
  2  wrong arguments, or the folder is not empty: nothing was written`

/** A wrong argument, with a message that names the remedy. */
export class UsageError extends Error {}

const databases = ['sqlite', 'postgres']

/**
 * @param {readonly string[]} args
 * @param {{ input: NodeJS.ReadStream, output: NodeJS.WriteStream }} terminal
 * @returns {Promise<null | { folder: string, name: string, database: string, react: boolean, tarballs: string | null, json: boolean }>}
 * `null`: help is wanted.
 */
export async function chooseFrom(args, { input, output }) {
  const { values, positionals } = parse(args)
  if (values.help) return null
  if (values.database !== undefined && !databases.includes(values.database)) {
    throw new UsageError(`"--database" must be sqlite or postgres, not "${values.database}"`)
  }
  if (positionals.length > 1) throw new UsageError(`one folder, not ${positionals.length}: see --help`)
  const given = { ...values, folder: positionals[0] }
  const answers =
    values.yes || values.json || !input.isTTY ? given : await ask(given, createInterface({ input, output }))
  const { database = 'sqlite', react = false, tarballs, json = false } = answers
  const folder = resolve(answers.folder ?? 'my-service')
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new UsageError(`${folder} is not empty: name a new folder`)
  }
  const name = nameOf(folder)
  return { folder, name, database, react, tarballs: tarballs === undefined ? null : resolve(tarballs), json }
}

function parse(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        database: { type: 'string' },
        react: { type: 'boolean' },
        yes: { type: 'boolean', short: 'y' },
        tarballs: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(`${error.message}: see --help`)
  }
}

async function ask(given, terminal) {
  try {
    const folder = given.folder ?? ((await terminal.question('Folder (my-service): ')).trim() || undefined)
    const database = given.database ?? (await askDatabase(terminal))
    const react = given.react ?? /^y/i.test(await terminal.question('A page in React? (y/N): '))
    return { ...given, folder, database, react }
  } finally {
    terminal.close()
  }
}

async function askDatabase(terminal) {
  for (;;) {
    const answer = (await terminal.question('Database, sqlite or postgres (sqlite): ')).trim().toLowerCase()
    if (answer === '') return 'sqlite'
    const found = databases.find((name) => name.startsWith(answer))
    if (found !== undefined) return found
  }
}

/** The name of the folder, as npm takes names of packages. */
function nameOf(folder) {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '')
  return name === '' ? 'my-service' : name
}
