import fc from 'fast-check'
import { type Note, policy } from '../src/notes.ts'

/** Texts that mean something to SQL, to a driver, or to an operator that matches patterns. */
export const hostile = [
  "' or 1=1 --",
  "'; drop table notes; --",
  '" or ""="',
  '?',
  '$1',
  '$2',
  ':subject',
  '%',
  '_',
  '\\',
  "\\'",
  '1',
  'null',
  'NULL',
  'acc_1 ',
  'ACC_1',
  'acc_1',
  'é',
  'e\u0301',
  '\u{1f9a6}',
  '/* */',
  "');--",
]

const subject = fc.oneof(fc.constantFrom(...hostile), fc.string({ minLength: 1, maxLength: 5 }))
const author = fc.option(fc.oneof(fc.constantFrom(...hostile), fc.string({ maxLength: 5 })), { nil: null })

/** Rows of random owners, and an identity that asks for them. */
export const asked = fc.record({
  authors: fc.array(author, { maxLength: 12 }),
  subject,
  isAmongThem: fc.boolean(),
  roles: fc.subarray(['READER', 'AUTHOR', 'EDITOR', 'ADMIN', 'STRANGER']),
  permission: fc.constantFrom('notes:read' as const, 'notes:update' as const, 'notes:review' as const),
  unless: fc.option(fc.constantFrom('notes:review' as const, 'notes:read' as const), { nil: undefined }),
  kind: fc.constantFrom('account' as const, 'client' as const),
  scopes: fc.option(fc.subarray(['notes:read', 'notes:update', 'notes:review', 'ownership:bypass']), { nil: null }),
})
type Asked = typeof asked extends fc.Arbitrary<infer Case> ? Case : never

/** The rows, the filter for them, and those that the check lets through one by one. */
export function decide({ authors, subject, isAmongThem, roles, permission, unless, kind, scopes }: Asked) {
  const all = isAmongThem ? [...authors, subject] : authors
  const rows = all.map((authorId, id): Note => ({ id, text: `note ${id}`, authorId }))
  const identity = policy.identify({ subject, roles, kind, scopes })
  const options = unless === undefined ? {} : { unless }
  return {
    rows,
    filter: policy.filter(identity, permission, options),
    allowed: rows.filter((row) => policy.can(identity, permission, row, options)),
  }
}
