import type { OperationVerdict } from '../access-contract.ts'

/** A response in the format of graphql-http: the body, and its status and headers. */
export type Response = Extract<OperationVerdict, { readonly ok: false }>['response']
