import { auth } from './auth.ts'

/** Executes an operation and returns its data, or throws an `AuthError` with the code of the service. */
export function ask<Data>(document: string, variables: object = {}, signal?: AbortSignal): Promise<Data> {
  return auth.request<Data, object>(document, variables, signal ? { signal } : {})
}
