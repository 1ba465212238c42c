import { realpathSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

// A process that runs the command again and again in the folder of a project, as if each were a process of its own: the
// command and the files of the project are loaded anew each time, and the packages once.

export interface HostedCommand {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly input: string
}

const [, , cli = ''] = process.argv
// The command is these two files.
const command = [cli, new URL('commands.ts', cli).href]
const ownFiles = pathToFileURL(`${realpathSync(process.cwd())}/`).href
let runs = 0

registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context)
    const isOwn = found.url.startsWith(ownFiles) && !found.url.includes('/node_modules/')
    return isOwn || command.includes(found.url) ? { ...found, url: `${found.url}?run=${runs}` } : found
  },
})

const printed = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const written = rest.at(-1)
    if (typeof written === 'function') written()
    return true
  }) as typeof process.stdout.write
}

process.on('message', async (command: HostedCommand) => {
  process.send?.(await run(command))
})

async function run({ args, env, input }: HostedCommand) {
  runs++
  Object.assign(printed, { stdout: '', stderr: '' })
  const before = { ...process.env }
  Object.assign(process.env, env)
  process.argv.splice(1, process.argv.length, cli, ...args)
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from(input, { objectMode: false }) })
  const exitCode = await new Promise((resolve, reject) => {
    process.exit = ((code: number) => resolve(code)) as typeof process.exit
    import(cli).catch(reject)
  })
  process.removeAllListeners('uncaughtException')
  process.env = before
  return { exitCode, ...printed }
}
