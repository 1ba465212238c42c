import type { OperationVerdict } from '../access-contract.ts'

/** What graphql-http takes for a response: the body, and the rest. */
export type Response = Extract<OperationVerdict, { readonly ok: false }>['response']
