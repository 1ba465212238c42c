import { type Field, field } from '../html/field.ts'
import type { Html } from '../html/html.ts'
import type { PageFrame } from '../html/page.ts'

export interface AddressField extends Pick<Field, 'isWrong' | 'isFirst'> {
  /** Whether a browser offers passkeys in the field, too. */
  readonly offersPasskeys?: boolean
  /** The initial value: the entered address, or the address that a client suggests. */
  readonly email?: string
}

/** Returns the field for the address of an account that is there. */
export function addressField({ texts }: PageFrame, options: AddressField): Html {
  const { offersPasskeys = false, email = '', ...state } = options
  return field({
    name: 'email',
    label: texts['field.email'],
    type: 'email',
    autocomplete: offersPasskeys ? 'username webauthn' : 'username',
    ...(email !== '' && { value: email }),
    ...state,
  })
}
