/** A document as published examples of large services have them: what their clients send every day. */
export interface OrdinaryDocument {
  readonly what: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}
