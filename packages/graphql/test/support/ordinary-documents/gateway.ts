import type { OrdinaryDocument } from './ordinary-document.ts'

export const gatewaySchema = `
  type Team { id: ID!, name: String!, slug: String! }
  type Person {
    id: ID!, name: String!, email: String, title: String, city: String, country: String, teams(first: Int): [Team!]!
    manager: Person
  }
  type Query { person(id: ID!): Person, people(ids: [ID!]!): [Person]! }
`

const keys = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_none, index) => write(index)).join(' ')

export const gatewayDocuments: readonly OrdinaryDocument[] = [16, 32].map((count) => ({
  what: `a gateway that batches ${count} keys`,
  query: `query Batched(${keys(count, (n) => `$_${n}_id: ID!`)}) {
    ${keys(
      count,
      (n) => `_${n}_person: person(id: $_${n}_id) {
        __typename id name email title city country teams(first: 5) { __typename id name slug } manager { __typename id name }
      }`,
    )}
  }`,
  variables: Object.fromEntries(Array.from({ length: count }, (_none, n) => [`_${n}_id`, `${n}`])),
}))
