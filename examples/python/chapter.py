"""A client of the Chapter Membership Service that learns its operations from the OpenAPI document.

It uses Python's standard library only. `Client.call` takes the operationId of an operation, and its parameters and the
fields of its body as keyword arguments.

    python3 chapter.py --username leader listUsers first_name__istartswith=u

Without an operation, it prints the operations that the user may call.
"""

import argparse
import getpass
import json
import os
import signal
import sys
import urllib.error
import urllib.parse
import urllib.request

METHODS = {"get", "post", "put", "patch", "delete"}
TIMEOUT_SECONDS = 30


class Problem(Exception):
    """An error response of the service (RFC 9457). `code` is stable; `errors` has the faults of single fields."""

    def __init__(self, status, body):
        faults = [f"{fault['field']}: {fault['detail']}".removeprefix(": ") for fault in body.get("errors", [])]
        super().__init__("\n".join([body.get("detail", f"status {status}"), *faults]))
        self.status = status
        self.code = body.get("code")
        self.errors = body.get("errors", [])


def send(method, url, headers, body=None):
    """Sends a request and returns the JSON of the response, or None if it has no body. Raises Problem and ValueError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            return read_json(url, response)
    except urllib.error.HTTPError as error:
        raise Problem(error.code, read_json(url, error) or {"detail": f"{url} returned status {error.code}"}) from None


def read_json(url, response):
    """Returns the JSON of a response, or None if it has no body. Raises ValueError if it is not JSON."""
    text = response.read()
    try:
        return json.loads(text) if text else None
    except ValueError:
        raise ValueError(f"{url} returned no JSON; is this the address of the service?") from None


def query_text(value):
    """Returns a value as the service reads it in a query: True is the text true."""
    return json.dumps(value) if isinstance(value, bool) else value


class Client:
    """The operations of the service at a base URL, such as http://localhost:3000."""

    def __init__(self, base):
        self.base = base.rstrip("/")
        self.token = None
        self.document = send("GET", f"{self.base}/api/openapi/", {"Accept": "application/json"})
        self.operations = {
            operation["operationId"]: (method.upper(), path, operation)
            for path, operations in self.document["paths"].items()
            for method, operation in operations.items()
            if method in METHODS
        }

    def log_in(self, username, password):
        """Logs in. Later calls send the access token of the user."""
        self.token = self.call("logIn", username=username, password=password)["access_token"]

    def places(self, operation_id):
        """Returns where each parameter of an operation is: "path", "query" or "header". Raises LookupError."""
        if operation_id not in self.operations:
            raise LookupError(f"no operation is named {operation_id}; there are {', '.join(sorted(self.operations))}")
        parameters = self.operations[operation_id][2].get("parameters", [])
        return {parameter["name"]: parameter["in"] for parameter in map(self._resolve, parameters)}

    def call(self, operation_id, **values):
        """Calls an operation. Values that are no parameters are fields of the body. Raises Problem and LookupError."""
        places = self.places(operation_id)
        method, path, operation = self.operations[operation_id]
        query = {name: query_text(value) for name, value in values.items() if places.get(name) == "query"}
        fields = {name: value for name, value in values.items() if name not in places}
        if fields and "requestBody" not in operation:
            raise LookupError(f"{operation_id} has no parameter {', '.join(fields)}")
        for name, place in places.items():
            if place == "path":
                if name not in values:
                    raise LookupError(f"{operation_id} needs {name}")
                path = path.replace(f"{{{name}}}", urllib.parse.quote(str(values[name]), safe=""))
        headers = {name: str(value) for name, value in values.items() if places.get(name) == "header"}
        headers["Accept"] = "application/json"
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        body = None
        if "requestBody" in operation:
            headers["Content-Type"] = next(iter(operation["requestBody"]["content"]))
            body = fields
        suffix = f"?{urllib.parse.urlencode(query)}" if query else ""
        return send(method, self.base + path + suffix, headers, body)

    def allowed(self, **target):
        """Returns the names of the operations that the user may call: on any target, or on user=ID or division=ID. Raises Problem."""
        permissions = self.call("getPermissions", **target)
        if permissions["target"] is None:
            return [action["name"] for action in permissions["actions"]]
        decisions = permissions["target"]["decisions"]
        return [decision["action"] for decision in decisions if decision["outcome"] == "allowed"]

    def pages(self, operation_id, **values):
        """Yields the items of all pages of a list."""
        while True:
            page = self.call(operation_id, **values)
            yield from page["results"]
            if page["next"] is None:
                return
            following = urllib.parse.parse_qs(urllib.parse.urlsplit(page["next"]).query)
            values["cursor"] = following["cursor"][0]

    def _resolve(self, value):
        """Follows a reference such as #/components/parameters/Cursor."""
        if "$ref" not in value:
            return value
        found = self.document
        for name in value["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return found


def read_pair(argument):
    """Reads name=value."""
    name, separator, text = argument.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{argument} is not name=value")
    return name, text


def read_field(text):
    """Parses the value of a field of the body if it is JSON, such as null or ["Guest"]; any other value is a string."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--service", default="http://localhost:3000", help="base URL of the service")
    parser.add_argument("--username", help="logs in first; the password is asked for, or is in CHAPTER_PASSWORD")
    parser.add_argument("operation", nargs="?", help="operationId of the OpenAPI document; without one, prints those you may call")
    parser.add_argument("values", nargs="*", type=read_pair, metavar="name=value", help="parameters, and fields of the body")
    arguments = parser.parse_args()
    try:
        client = Client(arguments.service)
        if arguments.username:
            client.log_in(arguments.username, os.environ.get("CHAPTER_PASSWORD") or getpass.getpass())
        if arguments.operation is None:
            result = client.allowed()
        else:
            places = client.places(arguments.operation)
            values = {name: text if name in places else read_field(text) for name, text in arguments.values}
            result = client.call(arguments.operation, **values)
    except OSError as error:
        print(f"cannot reach {arguments.service}: {getattr(error, 'reason', error)}", file=sys.stderr)
        return 1
    except (Problem, LookupError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(result, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    # The reader of the output may stop early (chapter.py … | head). Windows has no such signal.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
