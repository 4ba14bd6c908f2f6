import { Set as Asn1Set, Sequence, Utf8String } from 'asn1js'
import { AttributeTypeAndValue, RelativeDistinguishedNames } from 'pkijs'

const ORGANISATION = '2.5.4.10'
const COMMON_NAME = '2.5.4.3'

/** A name that is made of an organisation and a common name. */
export function distinguishedName(organisation: string, commonName: string): RelativeDistinguishedNames {
  const parts = [part(ORGANISATION, organisation), part(COMMON_NAME, commonName)]
  // Read rather than constructed: pkijs writes the attributes that it is given into one set, as if they were one part.
  return RelativeDistinguishedNames.fromBER(new Sequence({ value: parts }).toBER())
}

function part(type: string, value: string): Asn1Set {
  return new Asn1Set({
    value: [new AttributeTypeAndValue({ type, value: new Utf8String({ value }) }).toSchema()],
  })
}
