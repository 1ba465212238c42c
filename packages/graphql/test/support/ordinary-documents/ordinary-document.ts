/** A document like the published examples of large services, which clients send every day. */
export interface OrdinaryDocument {
  readonly what: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}
