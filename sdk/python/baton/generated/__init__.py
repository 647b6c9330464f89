# SPDX-License-Identifier: Apache-2.0
"""What tools/gen_clients.py makes from the OpenAPI document of the server."""
