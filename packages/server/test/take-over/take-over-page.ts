import { protections } from './stolen-account.ts'
import { backFrom, cellOf, type Row, rows } from './take-over-table.ts'
import { type Loot, loots } from './thieves.ts'
import { waysBack } from './ways-back.ts'

const heads: Readonly<Record<Loot, string>> = {
  'a session': 'session',
  'access and refresh token': 'tokens',
  'the mailbox of the former address': 'former mailbox',
  'the mailbox of the present address': 'present mailbox',
  'the password': 'password',
  'a recovery code': 'recovery code',
  'password and recovery code': 'password and code',
  'a device token': 'device token',
  'a code to the former address': 'former mailbox, by code',
  'a code to the present address': 'present mailbox, by code',
}

const words = {
  'open to everyone': 'open',
  'there is none': '–',
  'asks for the password': 'password?',
  'asks for the factor': 'factor?',
  'asks for a code of a mail': 'code?',
  UNAUTHENTICATED: 'sign-in?',
  INVALID_CREDENTIALS: 'wrong',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'absent',
  BAD_USER_INPUT: 'invalid',
} as const

/** Returns the part of the page that is made of the table. */
export function drawTried(): string {
  const what = rows.map(({ what, tries }) => [what, tries.map((one) => `\`${one}\``).join(' ')])
  return `## What is tried\n\n${drawTable(['', 'Operations and forms'], what)}`
}

/** Returns what each loot reaches, as a table for each protection. */
export function drawTables(): string {
  const tables = protections.map((protection) => {
    const lines = rows.map((row) => [row.what, ...loots.map((loot) => drawCell(row, protection, loot))])
    return `## An account with ${protection === 'nothing' ? 'a password alone' : `a password and ${protection}`}\n\n${drawTable(['', ...loots.map((loot) => heads[loot])], lines)}`
  })
  return tables.join('\n\n')
}

function drawCell(row: Row, protection: (typeof protections)[number], loot: Loot): string {
  const outcome = cellOf(row, protection, loot)
  return outcome === 'reached' ? `**yes** ${waysBack.indexOf(row.back ?? backFrom[loot]) + 1}` : words[outcome]
}

/** A table as the formatter of the documents leaves it: every column as wide as its widest cell. */
function drawTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((_cell, column) => Math.max(3, ...[head, ...lines].map((line) => line[column]?.length ?? 0)))
  const draw = (line: readonly string[]) =>
    `| ${widths.map((width, column) => (line[column] ?? '').padEnd(width)).join(' | ')} |`
  return [draw(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines.map(draw)].join('\n')
}
