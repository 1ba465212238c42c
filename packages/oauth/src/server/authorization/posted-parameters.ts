import { type Parameters, parametersFrom } from '../parameters/parameters.ts'
import { type KeptParameters, parametersShape } from './kept-parameters.ts'
import type { SealedValues } from './sealed-values.ts'

/** Forms that pages of other sites have posted, until a page of this site repeats them. */
export interface PostedParameters {
  /** Returns the handle of a form. `null`: the form must be stored, and `hasRoom` refuses to store it. */
  keep(parameters: Parameters, hasRoom: () => Promise<boolean>): Promise<string | null>
  read(handle: string | null): Promise<Parameters | null>
}

export interface PostedParametersOptions {
  readonly sealed: SealedValues
  readonly kept: KeptParameters
  readonly storedVersion: () => number
}

/**
 * Strangers can post forms, so the handle contains the form. Only a form that is too long for an address is stored.
 */
export function createPostedParameters({ sealed, kept, storedVersion }: PostedParametersOptions): PostedParameters {
  return {
    async keep(parameters, hasRoom) {
      const handle = await sealed.seal(parametersShape.format({ entries: parameters.entries }, storedVersion()))
      return handle ?? ((await hasRoom()) ? kept.keep(parameters) : null)
    },
    async read(handle) {
      const opened = await sealed.open(handle)
      return opened ? parametersFrom(parametersShape.parse(opened.value).entries) : kept.read(handle)
    },
  }
}
