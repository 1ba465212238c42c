import { acrValues as knownValues } from '../context/authentication.ts'
import type { Check } from './check.ts'

/** The values are preferences (OpenID Connect Core §3.1.2.1). Unknown values are ignored. */
export const checkAcrValues: Check<'acrValues'> = ({ parameters }) => {
  const asked = parameters.get('acr_values')?.split(' ') ?? []
  return {
    acrValues: knownValues
      .filter((value) => asked.includes(value))
      .sort((one, other) => asked.indexOf(one) - asked.indexOf(other)),
  }
}
