/** What graphql-http takes for a response: the body, and the rest. */
export type Response = readonly [
  body: string | null,
  init: {
    readonly status: number
    readonly statusText: string
    readonly headers?: ResponseHeaders
  },
]

type ResponseHeaders = {
  accept?: string
  allow?: string
  'content-type'?: string
} & Record<string, string>
