// What every service of the benchmark serves: the same fields for everybody and for readers, with the same answer.
export { resolvers } from '../graphql/notes-example.ts'

/** The public host of a service, on any port. */
export const host = 'notes.example.com'
export const baseUrl: string = `https://${host}`

/** The types of the example, with a rule for each field where `rule` returns one. */
export function writeSdl(rule: (who: 'everyone' | 'account' | 'reader') => string): string {
  const [everyone, account, reader] = [rule('everyone'), rule('account'), rule('reader')]
  return `
  type User { id: ID! ${everyone}, name: String! ${everyone} }
  type Note { id: ID! ${everyone}, title: String! ${everyone}, author: User! ${everyone} }
  type Query {
    openUser: User ${everyone}
    openNotes(first: Int! = 5): [Note!]! ${everyone}
    thisUser: User ${account}
    thisNotes(first: Int! = 5): [Note!]! ${reader}
  }`
}

const bodyFor = (prefix: 'open' | 'this'): string =>
  JSON.stringify({
    query: `query Home($first: Int!) {
      viewer: ${prefix}User { id name } notes: ${prefix}Notes(first: $first) { id title author { name } } }`,
    variables: { first: 5 },
  })

/** The requests with and without a credential: they have the same length and the same answer. */
export const bodies: Readonly<Record<'open' | 'this', string>> = { open: bodyFor('open'), this: bodyFor('this') }

/** The permission that reading notes needs, and the role that has it. */
export const permission = 'notes:read'
export const role = 'READER'
