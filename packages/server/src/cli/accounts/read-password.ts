import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CommandFailure } from '../command-failure.ts'

/** In characters. No password may be longer; longer input was piped by mistake. */
const longestInput = 8_192

/**
 * Reads a password from the terminal, twice and without an echo, or from standard input if it is piped. A password is
 * never an argument: other users of the machine can see arguments, and shells keep them.
 */
export function readPassword(): Promise<string> {
  return process.stdin.isTTY ? askPassword() : readPiped()
}

async function askPassword(): Promise<string> {
  const password = await askHidden('Password: ')
  if (password === '') throw noPassword()
  if (password === (await askHidden('Repeat it: '))) return password
  throw new CommandFailure('The two passwords are not the same.', { exitCode: 1, next: 'Nothing was changed.' })
}

/** Asks without an echo: the line editor writes to a stream that discards its output. */
async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  // Written only now that the terminal does not echo: a fast answer would be shown otherwise.
  process.stderr.write(question)
  const aborted = new AbortController()
  lines.once('SIGINT', () => aborted.abort())
  lines.once('close', () => aborted.abort())
  try {
    return await lines.question('', { signal: aborted.signal })
  } catch {
    throw new CommandFailure('No password was entered.', { exitCode: 1, next: 'Nothing was changed.' })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

/** The one line of standard input, without the line break at its end. */
async function readPiped(): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    length += chunk.length
    if (length > longestInput) throw new CommandFailure('Standard input is too long for a password.', { exitCode: 1 })
  }
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (password === '') throw noPassword()
  // It could not be typed at a form.
  if (/[\r\n]/.test(password)) throw new CommandFailure('Standard input has more than one line.', { exitCode: 1 })
  return password
}

function noPassword(): CommandFailure {
  return new CommandFailure('A password is required.', {
    exitCode: 1,
    next: 'Type it when you are asked, or pipe it to standard input; it is never an argument.',
  })
}
