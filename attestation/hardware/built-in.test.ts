import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { builtInVendors } from './built-in.ts'

const { amd, intel } = builtInVendors

test.each([
  ['ARK-Milan', amd.Milan?.ark, '69d063b45344d26a2e94e1f4210de49ef555308287d4c174445c95639a540bcd'],
  ['SEV-Milan', amd.Milan?.vcek, '67d303bd3905fd38db8b20e0793699870e7fa612eaad5dec358293fd8c0bac1b'],
  ['SEV-VLEK-Milan', amd.Milan?.vlek, 'c5e081f59b7efab1fe2f8b505e159704e72f29cab7ef7cf628a05a42439082f5'],
  ['ARK-Genoa', amd.Genoa?.ark, '4c6598d19c18719c5dfd4a7d335f674e5bfe1d8f800cea2cf270c10d103db2f1'],
  ['SEV-Genoa', amd.Genoa?.vcek, '5464738c1546aed5f2cecf1dc98c5c960a92e8913238a61711bc90ec6e828521'],
  ['SEV-VLEK-Genoa', amd.Genoa?.vlek, '197e610743a917d6b9bb982a5a9226ccc0a15b611be0619e626aca9151457372'],
  ['ARK-Turin', amd.Turin?.ark, '1f084161a44bb6d93778a904877d4819cafa5d05ef4193b2ded9dd9c73dd3f6a'],
  ['SEV-Turin', amd.Turin?.vcek, '5b77ef5fe7a7a004fd9032668fba9d0fda22f88c4442069a479636a6ae3b3185'],
  ['SEV-VLEK-Turin', amd.Turin?.vlek, '104e10a8bd060a3c20a434261a57d0588fd65a88915b4f65b08bdecaf8df1a3c'],
  ['Intel SGX Root CA', intel, '44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3'],
])('%s is built in by its fingerprint', (name, der, fingerprint) => {
  const certificate = new X509Certificate(der ?? '')
  expect(certificate.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(fingerprint)
  expect(certificate.subject.split('\n')).toContain(`CN=${name}`)
})

test('no other certificate of a vendor is built in', () => {
  expect(Object.keys(builtInVendors)).toEqual(['amd', 'intel'])
  expect(Object.keys(amd)).toEqual(['Milan', 'Genoa', 'Turin'])
  for (const authorities of Object.values(amd))
    expect(Object.keys(authorities)).toEqual(['ark', 'vcek', 'vlek'])
})
